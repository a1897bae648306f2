/** What is done to nodes and links during a run. */
@NullMarked
package dev.tidemark.sim.fault;

import org.jspecify.annotations.NullMarked;
