/** The log of one partition: segments, indexes, epochs, producers, recovery, retention. */
@NullMarked
package dev.tidemark.log;

import org.jspecify.annotations.NullMarked;
