/** How followers fetch from the broker that leads their partitions. */
@NullMarked
package dev.tidemark.replica.fetch;

import org.jspecify.annotations.NullMarked;
