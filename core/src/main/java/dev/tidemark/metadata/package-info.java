/**
 * Controller decisions: registration, topics, configs, producer ids; and what brokers see of it.
 */
@NullMarked
package dev.tidemark.metadata;

import org.jspecify.annotations.NullMarked;
