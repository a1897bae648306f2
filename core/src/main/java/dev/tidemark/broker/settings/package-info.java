/** The keys of server.properties: what each one means, accepts and defaults to. */
@NullMarked
package dev.tidemark.broker.settings;

import org.jspecify.annotations.NullMarked;
