/** The command that runs simulations. */
@NullMarked
package dev.tidemark.sim.cli;

import org.jspecify.annotations.NullMarked;
