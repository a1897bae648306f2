package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@code tidemark server} of the release as one node of a cluster, broker and controller. */
public final class NodeUnderTest {
  private static final int TIMEOUT_SECONDS = 120;
  private static final int KILLED_BY_SIGTERM = 143;
  private static final String READY = "is ready";

  private final int id;
  private final NodeNetwork network;
  private final Path folder;
  private final Path config;
  private final Path log;
  private int logBefore;
  private @Nullable Process process;

  /**
   * @param more lines for its server.properties
   */
  NodeUnderTest(int id, Path folder, NodeNetwork network, String more) throws IOException {
    this.id = id;
    this.network = network;
    this.folder = folder;
    this.config = folder.resolve("server.properties");
    this.log = folder.resolve("log");
    Files.writeString(log, "");
    Files.writeString(
        config,
        """
        node.id=%d
        process.roles=broker,controller
        controller.listener.names=CONTROLLER
        log.dirs=%s
        %s%s
        """
            .formatted(id, dataFolder(), network.properties(id), more));
  }

  public int id() {
    return id;
  }

  /** Where clients connect: host and port. */
  public String bootstrap() {
    return network.clients(id);
  }

  public Path dataFolder() {
    return folder.resolve("data");
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

  /** Starts the process, which needs a while until it serves. */
  public void start() throws IOException {
    assertThat(isRunning()).as("node %d runs", id).isFalse();
    logBefore = log().length();
    network.starting(id);
    process =
        Installation.get()
            .command(network.environment(id), "server", "--config", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
  }

  /** Waits for the line that says so. */
  void awaitReady() throws Exception {
    long giveUpNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (!saysReady()) {
      assertThat(System.nanoTime()).as("node %d: %s", id, log()).isLessThan(giveUpNs);
      assertThat(running().waitFor(50, TimeUnit.MILLISECONDS))
          .as("node %d has ended: %s", id, log())
          .isFalse();
    }
  }

  private boolean saysReady() throws IOException {
    return log().substring(logBefore).contains(READY);
  }

  /** What it has printed in all its runs. */
  String log() throws IOException {
    return Files.readString(log);
  }

  boolean isRunning() {
    return process != null && process.isAlive();
  }

  private Process running() {
    Process started = process;
    if (started == null) {
      throw new IllegalStateException("node " + id + " was not started");
    }
    return started;
  }

  /** As kill -9 does; without effect on a node that does not run. */
  public void kill() throws InterruptedException {
    if (process != null) {
      assertThat(process.destroyForcibly().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
      network.ended(id);
    }
  }

  /** SIGTERM, which it is to follow with exit code 0 unless it comes before it serves. */
  public void stop() throws Exception {
    boolean serves = saysReady();
    running().destroy();
    assertThat(running().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
        .as("node %d stops in time: %s", id, log())
        .isTrue();
    network.ended(id);
    if (serves || running().exitValue() != KILLED_BY_SIGTERM) {
      assertThat(running().exitValue()).as("node %d: %s", id, log()).isZero();
    }
  }

  /** It does nothing until {@link #thaw}. */
  public void freeze() throws Exception {
    signal("STOP");
  }

  public void thaw() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    Ran.of(new ProcessBuilder("kill", "-" + name, String.valueOf(running().pid())), "")
        .requireSuccess();
  }
}
