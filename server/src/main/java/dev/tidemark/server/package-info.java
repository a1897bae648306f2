/** The production environment: network, files, threads and the main program. */
@NullMarked
package dev.tidemark.server;

import org.jspecify.annotations.NullMarked;
