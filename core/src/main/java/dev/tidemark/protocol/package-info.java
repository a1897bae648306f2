/**
 * Kafka's wire format. The only place that touches those classes of kafka-clients that move between
 * its minor versions.
 */
@NullMarked
package dev.tidemark.protocol;

import org.jspecify.annotations.NullMarked;
