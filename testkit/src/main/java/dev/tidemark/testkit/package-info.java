/** A Tidemark cluster inside a JVM test. */
@NullMarked
package dev.tidemark.testkit;

import org.jspecify.annotations.NullMarked;
