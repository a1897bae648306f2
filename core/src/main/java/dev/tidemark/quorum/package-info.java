/** The log of cluster metadata: who may append to it, and what of it is committed. */
@NullMarked
package dev.tidemark.quorum;

import org.jspecify.annotations.NullMarked;
