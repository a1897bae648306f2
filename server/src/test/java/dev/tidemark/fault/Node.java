package dev.tidemark.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.process.Installation;
import dev.tidemark.process.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A {@code tidemark server} of the release as a process of its own, broker and controller. */
final class Node implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 60;
  private static final int KILLED_BY_SIGTERM = 143;

  private final int id;
  private final NodePorts ports;
  private final Path folder;
  private final Path output;
  private Process process;
  private boolean frozen;
  private int outputBefore;

  Node(int id, NodePorts ports, Path folder) {
    this.id = id;
    this.ports = ports;
    this.folder = folder;
    this.output = folder.resolve("output");
  }

  int id() {
    return id;
  }

  NodePorts ports() {
    return ports;
  }

  Path dataFolder() {
    return folder.resolve("data");
  }

  void format(String clusterId, String voters, List<String> properties) throws Exception {
    Files.write(folder.resolve("server.properties"), properties);
    Ran.of(
            Installation.get()
                .command(
                    Map.of(),
                    "format",
                    "--config",
                    folder.resolve("server.properties").toString(),
                    "--cluster-id",
                    clusterId,
                    "--initial-controllers",
                    voters),
            "")
        .requireSuccess();
  }

  /** Starts the process, which needs a while until it serves. */
  void start() throws IOException {
    assertThat(isRunning()).as("node %d runs", id).isFalse();
    outputBefore = output().length();
    process =
        Installation.get()
            .command(Map.of(), "server", "--config", folder.resolve("server.properties").toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
  }

  boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** True if it runs and is not frozen. */
  boolean isAwake() {
    return isRunning() && !frozen;
  }

  /** As kill -9 does. */
  void kill() throws InterruptedException {
    frozen = false;
    assertThat(process.destroyForcibly().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /** SIGTERM, which it is to follow with exit code 0 unless it comes before it serves. */
  void stop() throws Exception {
    boolean serves = output().substring(outputBefore).contains("is ready");
    process.destroy();
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
        .as("node %d stops: %s", id, output())
        .isTrue();
    if (serves || process.exitValue() != KILLED_BY_SIGTERM) {
      assertThat(process.exitValue()).as("node %d: %s", id, output()).isZero();
    }
  }

  void freeze() throws Exception {
    signal("STOP");
    frozen = true;
  }

  void thaw() throws Exception {
    signal("CONT");
    frozen = false;
  }

  private void signal(String name) throws Exception {
    Ran.of(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())), "")
        .requireSuccess();
  }

  /** All that it has printed. */
  String output() throws IOException {
    return Files.exists(output) ? Files.readString(output) : "";
  }

  @Override
  public void close() {
    if (isRunning()) {
      process.destroyForcibly();
    }
  }
}
