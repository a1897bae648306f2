/** Consumer groups: Kafka's group coordinator over our own offsets partitions. */
@NullMarked
package dev.tidemark.group;

import org.jspecify.annotations.NullMarked;
