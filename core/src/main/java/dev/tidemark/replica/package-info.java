/** One class for each role of a replica; in-sync replicas, high watermark, acknowledgement. */
@NullMarked
package dev.tidemark.replica;

import org.jspecify.annotations.NullMarked;
