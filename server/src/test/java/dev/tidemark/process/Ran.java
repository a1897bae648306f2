package dev.tidemark.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A program that ran to its end.
 *
 * @param exitCode what it returned
 * @param out its standard output
 * @param err its standard error
 */
public record Ran(int exitCode, String out, String err) {
  private static final int TIMEOUT_SECONDS = 90;

  public static Ran of(ProcessBuilder builder, String input)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("out", ".txt");
    Path err = Files.createTempFile("err", ".txt");
    try {
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      try (OutputStream in = process.getOutputStream()) {
        in.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // It ended without reading all; its exit code says why.
        if (process.isAlive()) {
          throw e;
        }
      }
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError(
            String.join(" ", builder.command())
                + " did not end within "
                + TIMEOUT_SECONDS
                + " s\n"
                + Files.readString(out)
                + Files.readString(err));
      }
      return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** Fails the test with all that was printed unless the program returned 0. */
  public Ran requireSuccess() {
    if (exitCode != 0) {
      throw new AssertionError("exit code " + exitCode + "\n" + out + err);
    }
    return this;
  }
}
