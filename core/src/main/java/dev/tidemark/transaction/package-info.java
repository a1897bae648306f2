/** Producer ids, and later the transaction coordinator. */
@NullMarked
package dev.tidemark.transaction;

import org.jspecify.annotations.NullMarked;
