/** What the broker counts and how it is asked for it. */
@NullMarked
package dev.tidemark.broker.metrics;

import org.jspecify.annotations.NullMarked;
