/** Clients in virtual time that speak the wire format. */
@NullMarked
package dev.tidemark.sim.load;

import org.jspecify.annotations.NullMarked;
