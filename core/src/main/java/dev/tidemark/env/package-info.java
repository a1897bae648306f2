/** The ports through which the core reaches time, chance, files and the network. */
@NullMarked
package dev.tidemark.env;

import org.jspecify.annotations.NullMarked;
