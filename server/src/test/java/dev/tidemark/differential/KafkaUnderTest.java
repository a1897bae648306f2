package dev.tidemark.differential;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.raft.DynamicVoters;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/** Apache Kafka's own broker, one node that is its controller as well, as a process. */
final class KafkaUnderTest implements AutoCloseable {
  private final Path folder;
  private final int port;
  private @Nullable Peer running;

  private KafkaUnderTest(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /** One that runs for as long as the peer. */
  static Peer start(Path folder, Map<String, String> shared) throws Exception {
    return format(folder, shared).start();
  }

  /** One that can be started again and again. */
  static KafkaUnderTest format(Path folder, Map<String, String> shared) throws Exception {
    int port = Peer.freePort();
    int controllerPort = Peer.freePort();
    KafkaUnderTest kafka = new KafkaUnderTest(folder, port);
    format(kafka.data(), controllerPort);
    Files.writeString(
        folder.resolve("server.properties"), config(kafka.data(), port, controllerPort, shared));
    return kafka;
  }

  Path data() {
    return folder.resolve("data");
  }

  int port() {
    return port;
  }

  String bootstrap() {
    return "127.0.0.1:" + port;
  }

  /** Starts the process, which needs a while until it serves. */
  Peer start() throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            System.getProperty("java.class.path"),
            "kafka.Kafka",
            folder.resolve("server.properties").toString());
    Peer started = Peer.start("Apache Kafka", new ProcessBuilder(command), folder, port);
    running = started;
    return started;
  }

  /** As kill -9 does. */
  void kill() throws InterruptedException {
    if (running != null) {
      int unused = running.process().destroyForcibly().waitFor();
    }
  }

  /** Stops it in order. */
  void stop() {
    if (running != null) {
      running.close();
    }
  }

  @Override
  public void close() {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String config(
      Path data, int port, int controllerPort, Map<String, String> shared) {
    StringBuilder text = new StringBuilder();
    text.append("process.roles=broker,controller\n");
    text.append("controller.listener.names=CONTROLLER\n");
    text.append("listeners=PLAINTEXT://127.0.0.1:").append(port);
    text.append(",CONTROLLER://127.0.0.1:").append(controllerPort).append('\n');
    text.append("controller.quorum.bootstrap.servers=127.0.0.1:")
        .append(controllerPort)
        .append('\n');
    text.append("log.dirs=").append(data).append('\n');
    shared.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    return text.toString();
  }

  private static void format(Path data, int controllerPort) throws Exception {
    Uuid directoryId = Uuid.randomUuid();
    Formatter formatter =
        new Formatter()
            .setPrintStream(
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
            .setNodeId(1)
            .setClusterId(Uuid.randomUuid().toString())
            .addDirectory(data.toString())
            .setMetadataLogDirectory(data.toString())
            .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
            .setControllerListenerName("CONTROLLER")
            .setHasDynamicQuorum(true)
            .setInitialControllers(
                DynamicVoters.parse("1@127.0.0.1:" + controllerPort + ":" + directoryId));
    Files.createDirectories(data);
    formatter.run();
  }
}
