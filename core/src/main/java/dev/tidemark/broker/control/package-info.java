/** How a broker stands to the active controller: its calls, its registration, its lease. */
@NullMarked
package dev.tidemark.broker.control;

import org.jspecify.annotations.NullMarked;
