/** What must hold of a run: histories of clients against what the replicas have. */
@NullMarked
package dev.tidemark.sim.check;

import org.jspecify.annotations.NullMarked;
