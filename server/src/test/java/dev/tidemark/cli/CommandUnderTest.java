package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * A command that ran in this process.
 *
 * @param exitCode what the process would have returned
 * @param out what it printed for its user
 * @param err its notes and mistakes
 * @param tookMs how long it took
 */
record CommandUnderTest(int exitCode, String out, String err, long tookMs) {
  private static final long SOON_MS = 15_000;

  /** Runs it with {@code input} as its standard input. */
  static CommandUnderTest run(InputStream input, String... args) {
    InputStream inBefore = System.in;
    PrintStream outBefore = System.out;
    PrintStream errBefore = System.err;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    long beganNs = System.nanoTime();
    try {
      System.setIn(input);
      System.setOut(new PrintStream(out, true, UTF_8));
      System.setErr(new PrintStream(err, true, UTF_8));
      int code = Tidemark.execute(List.of(args));
      long tookMs = (System.nanoTime() - beganNs) / 1_000_000;
      return new CommandUnderTest(code, out.toString(UTF_8), err.toString(UTF_8), tookMs);
    } finally {
      System.setIn(inBefore);
      System.setOut(outBefore);
      System.setErr(errBefore);
    }
  }

  /** It failed soon, in one line that has all of the parts. */
  void requireRefused(int expectedExitCode, String... parts) {
    assertThat(err).contains(parts);
    assertThat(err.strip()).as("one line").doesNotContain("\n").startsWith("tidemark: ");
    assertThat(exitCode).as(err).isEqualTo(expectedExitCode);
    assertThat(tookMs).as("how long this took: %s", err).isLessThan(SOON_MS);
  }

  CommandUnderTest requireSuccess() {
    assertThat(exitCode).as(err).isZero();
    return this;
  }
}
