package dev.tidemark.differential;

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

/** Apache Kafka's own broker, one node that is its controller as well, as a process. */
final class KafkaUnderTest {
  private KafkaUnderTest() {}

  static Peer start(Path folder, Map<String, String> shared) throws Exception {
    int port = Peer.freePort();
    int controllerPort = Peer.freePort();
    Path data = folder.resolve("data");
    format(data, controllerPort);
    Path config = folder.resolve("server.properties");
    Files.writeString(config, config(data, port, controllerPort, shared));
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
            config.toString());
    return Peer.start("Apache Kafka", new ProcessBuilder(command), folder, port);
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
