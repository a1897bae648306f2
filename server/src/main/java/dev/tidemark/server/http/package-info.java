/** What operators and their tools ask a running broker over HTTP: metrics and health. */
@NullMarked
package dev.tidemark.server.http;

import org.jspecify.annotations.NullMarked;
