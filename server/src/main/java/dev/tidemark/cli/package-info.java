/** The command line: {@code bin/tidemark}. */
@NullMarked
package dev.tidemark.cli;

import org.jspecify.annotations.NullMarked;
