package dev.tidemark.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A run of kcat, the C client, whose outputs are files. */
final class Kcat implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/kcat");
  private static final long TIMEOUT_S = 150;

  /** What it says when it gives up because it reaches no broker, as it does by design. */
  private static final List<String> NO_BROKER =
      List.of("broker connections are down", "Failed to query metadata");

  private final Path out;
  private final Path err;
  private final Process process;

  Kcat(String bootstrap, List<String> arguments) throws IOException {
    out = Files.createTempFile("kcat", ".out");
    err = Files.createTempFile("kcat", ".err");
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-b", bootstrap));
    command.addAll(arguments);
    process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
  }

  static boolean isInstalled() {
    return Files.isExecutable(PROGRAM);
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** Writes a line to its input; it may have ended. */
  void tell(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /** Ends its input and waits until it has ended by itself. */
  void finish() throws IOException, InterruptedException {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It has ended and reads no more; its messages say why.
    }
    if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS)) {
      throw new AssertionError("kcat does not end: " + errors());
    }
  }

  /** Ends it at once. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Whether it ended in order or for want of a broker. */
  boolean isExcused() throws IOException {
    String errors = errors();
    return process.exitValue() == 0 || NO_BROKER.stream().anyMatch(errors::contains);
  }

  /** All whole lines that it has printed. */
  List<String> lines() throws IOException {
    return wholeLines(out);
  }

  List<String> errorLines() throws IOException {
    return wholeLines(err);
  }

  private static List<String> wholeLines(Path file) throws IOException {
    String all = Files.readString(file);
    return all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
  }

  String errors() throws IOException {
    return Files.readString(err);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.delete(out);
    Files.delete(err);
  }
}
