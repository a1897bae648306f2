/** One class for each request of Kafka's protocol that this broker answers. */
@NullMarked
package dev.tidemark.broker.request;

import org.jspecify.annotations.NullMarked;
