/** Benchmarks of parts and of whole clusters. */
@NullMarked
package dev.tidemark.bench;

import org.jspecify.annotations.NullMarked;
