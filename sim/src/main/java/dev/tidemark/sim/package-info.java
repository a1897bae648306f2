/** The virtual environment: clock, timers, randomness and disk under a seed. */
@NullMarked
package dev.tidemark.sim;

import org.jspecify.annotations.NullMarked;
