package dev.tidemark.process;

import java.util.Objects;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * What some tests need of the machine beside a JDK. Where it is missing they are skipped with a
 * line that says so; where {@code TIDEMARK_TESTS_COMPLETE} is set, as in {@code .ci/run}, that is a
 * failure.
 */
final class Needed {
  private static final boolean COMPLETE =
      Objects.requireNonNullElse(System.getenv("TIDEMARK_TESTS_COMPLETE"), "").equals("1");

  private Needed() {}

  /** Goes on only if {@code there}. */
  static void of(boolean there, String what) {
    if (there) {
      return;
    }
    if (COMPLETE) {
      Assertions.fail("This machine lacks " + what);
    }
    System.err.println("Skipped a test, as this machine lacks " + what);
    Assumptions.abort("needs " + what);
  }
}
