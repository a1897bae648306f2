/** The identity of data folders: whose they are and which format they have. */
@NullMarked
package dev.tidemark.broker.folder;

import org.jspecify.annotations.NullMarked;
