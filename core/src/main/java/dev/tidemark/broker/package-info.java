/**
 * The broker: frames in, requests to their handlers, answers out in order; waiting fetches, fetch
 * sessions and the wiring. No threads of its own.
 */
@NullMarked
package dev.tidemark.broker;

import org.jspecify.annotations.NullMarked;
