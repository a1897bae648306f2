/** How the replicas on this broker reach the other brokers and the controller. */
@NullMarked
package dev.tidemark.broker.replication;

import org.jspecify.annotations.NullMarked;
