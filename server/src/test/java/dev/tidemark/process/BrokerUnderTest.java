package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@code tidemark dev} of the release as a process of its own, as a rule with one broker. */
final class BrokerUnderTest implements AutoCloseable {
  private static final Pattern READY =
      Pattern.compile(
          "Tidemark is ready at localhost:(\\d+)(?:,localhost:\\d+)*, data in (/.*), \\d+\\.\\d\\d s after its start\\. Try:");
  private static final int TIMEOUT_SECONDS = 60;

  private final Process process;
  private final Path log;
  private final int port;
  private final Path dataFolder;
  private final List<String> announcement;
  private final long readyAfterMs;

  private BrokerUnderTest(
      Process process, Path log, Matcher ready, List<String> announcement, long readyAfterMs) {
    this.process = process;
    this.log = log;
    this.port = Integer.parseInt(ready.group(1));
    this.dataFolder = Path.of(ready.group(2));
    this.announcement = announcement;
    this.readyAfterMs = readyAfterMs;
  }

  static BrokerUnderTest start(Path dataFolder) throws Exception {
    return start(dataFolder, Map.of());
  }

  static BrokerUnderTest start(Path dataFolder, Map<String, String> environment) throws Exception {
    return start(environment, "--data-dir", dataFolder.toString());
  }

  /** One that keeps its data nowhere. */
  static BrokerUnderTest startEphemeral() throws Exception {
    return start(Map.of(), "--ephemeral");
  }

  /**
   * Several brokers in one process, of which this is the first.
   *
   * @param brokers 0 for as many as there are by default
   */
  static BrokerUnderTest startCluster(Path dataFolder, int brokers, String... more)
      throws Exception {
    List<String> command =
        new ArrayList<>(List.of("dev", "--port", "0", "--data-dir", dataFolder.toString()));
    command.addAll(List.of(more));
    if (brokers > 0) {
      command.addAll(List.of("--brokers", String.valueOf(brokers)));
    }
    return run(Map.of(), command);
  }

  private static BrokerUnderTest start(Map<String, String> environment, String... where)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("dev", "--port", "0", "--brokers", "1"));
    command.addAll(List.of(where));
    return run(environment, command);
  }

  private static BrokerUnderTest run(Map<String, String> environment, List<String> command)
      throws Exception {
    Path log = Files.createTempFile("broker", ".log");
    long beganNs = System.nanoTime();
    Process process =
        Installation.get()
            .command(environment, command.toArray(new String[0]))
            .redirectError(log.toFile())
            .start();
    CompletableFuture<List<String>> lines =
        CompletableFuture.supplyAsync(() -> readAnnouncement(process));
    List<String> announcement = lines.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    Matcher ready = READY.matcher(announcement.isEmpty() ? "" : announcement.get(0));
    assertThat(ready.matches())
        .as("the broker is ready: %s %s", announcement, Files.readString(log))
        .isTrue();
    long readyAfterMs = (System.nanoTime() - beganNs) / 1_000_000;
    return new BrokerUnderTest(process, log, ready, announcement, readyAfterMs);
  }

  private static List<String> readAnnouncement(Process process) {
    try {
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String line = out.readLine();
        if (line == null) {
          break;
        }
        lines.add(line);
      }
      return lines;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  long pid() {
    return process.pid();
  }

  /** From the start of the process to its line that says so. */
  long readyAfterMs() {
    return readyAfterMs;
  }

  Path dataFolder() {
    return dataFolder;
  }

  String bootstrap() {
    return "localhost:" + port;
  }

  List<String> announcement() {
    return announcement;
  }

  /** Runs another command of the release against this broker. */
  Ran tidemark(String input, String... args) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--bootstrap-server");
    all.add(bootstrap());
    return Ran.of(Installation.get().command(Map.of(), all.toArray(new String[0])), input);
  }

  /** As kill -9 does. */
  void kill() throws InterruptedException {
    assertThat(process.destroyForcibly().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /** SIGTERM; returns the exit code. */
  int stop() throws InterruptedException {
    process.destroy();
    return awaitExit();
  }

  /** What Ctrl-C sends; returns the exit code. */
  int interrupt() throws IOException, InterruptedException {
    Ran.of(new ProcessBuilder("kill", "-INT", String.valueOf(pid())), "").requireSuccess();
    return awaitExit();
  }

  /** Waits until it has ended; returns the exit code. */
  int awaitExit() throws InterruptedException {
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
    return process.exitValue();
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() {
    try {
      if (process.isAlive()) {
        int unused = stop();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
