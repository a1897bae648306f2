package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@code tidemark server} of the release as one node of a cluster, broker and controller. */
final class NodeUnderTest {
  private static final int TIMEOUT_SECONDS = 120;

  private final int id;
  private final int port;
  private final Path config;
  private final Path log;
  private @Nullable Process process;

  /**
   * @param controllerPorts of all nodes, by id from 1 on
   */
  NodeUnderTest(int id, Path folder, int port, List<Integer> controllerPorts) throws IOException {
    this.id = id;
    this.port = port;
    this.config = folder.resolve("server.properties");
    this.log = folder.resolve("log");
    Files.writeString(
        config,
        """
        node.id=%d
        process.roles=broker,controller
        listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
        controller.listener.names=CONTROLLER
        controller.quorum.bootstrap.servers=%s
        log.dirs=%s
        """
            .formatted(
                id,
                port,
                controllerPorts.get(id - 1),
                String.join(",", controllerPorts.stream().map(one -> "127.0.0.1:" + one).toList()),
                folder.resolve("data")));
  }

  int id() {
    return id;
  }

  String bootstrap() {
    return "127.0.0.1:" + port;
  }

  void format(String clusterId, String controllers) throws Exception {
    Ran.of(
            Installation.get()
                .command(
                    Map.of(),
                    "format",
                    "--config",
                    config.toString(),
                    "--cluster-id",
                    clusterId,
                    "--initial-controllers",
                    controllers),
            "")
        .requireSuccess();
  }

  void start() throws IOException {
    Files.writeString(log, "");
    process =
        Installation.get()
            .command(Map.of(), "server", "--config", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
  }

  /** Waits for the line that says so. */
  void awaitReady() throws Exception {
    long giveUpNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (!log().contains("is ready")) {
      assertThat(System.nanoTime()).as("node %d: %s", id, log()).isLessThan(giveUpNs);
      assertThat(running().waitFor(50, TimeUnit.MILLISECONDS))
          .as("node %d has ended: %s", id, log())
          .isFalse();
    }
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  private Process running() {
    Process started = process;
    if (started == null) {
      throw new IllegalStateException("node " + id + " was not started");
    }
    return started;
  }

  /** As kill -9 does; without effect on a node that does not run. */
  void kill() throws InterruptedException {
    if (process != null) {
      assertThat(process.destroyForcibly().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** SIGTERM; returns the exit code. */
  int stop() throws InterruptedException {
    running().destroy();
    assertThat(running().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
    return running().exitValue();
  }
}
