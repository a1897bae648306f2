package dev.tidemark.cli;

import dev.tidemark.server.FormatOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Several development brokers in one process, each with its own folder and port; the first one is
 * the only controller as well.
 */
final class DevCluster {
  /** Each takes threads and memory of its own. */
  static final int MAX_BROKERS = 9;

  private DevCluster() {}

  static BrokerRun start(int brokers, int port, Path folder, @Nullable Path deletedAtEnd)
      throws CommandFailure {
    try {
      return BrokerRun.start(nodes(brokers, port, folder), format(folder), deletedAtEnd);
    } catch (IOException e) {
      throw CommandFailure.failed(FailureText.of(e));
    }
  }

  /** The settings of each, the controller's first; {@code port} 0 lets each take any. */
  static List<Map<String, String>> nodes(int brokers, int port, Path folder) throws IOException {
    int controllerPort = freePort();
    List<Map<String, String>> nodes = new ArrayList<>();
    for (int id = 1; id <= brokers; id++) {
      nodes.add(node(id, port == 0 ? 0 : port + id - 1, controllerPort, folder));
    }
    return nodes;
  }

  static FormatOptions format(Path folder) throws IOException {
    return new FormatOptions(clusterId(folder), FormatOptions.Voters.DEFAULT, "");
  }

  /** The controller is found by its address of this run, so it need not be that of the last. */
  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** It is the same for all brokers, also for those that a later run adds. */
  private static String clusterId(Path folder) throws IOException {
    Path file = folder.resolve("cluster.id");
    if (!Files.exists(file)) {
      Files.createDirectories(folder);
      Files.writeString(file, RandomUuidCommand.next() + System.lineSeparator());
    }
    return Files.readString(file).strip();
  }

  private static Map<String, String> node(int id, int port, int controllerPort, Path folder) {
    Map<String, String> settings = DevRun.settings(port, folder.resolve("broker-" + id));
    String controller = DevRun.HOST + ":" + controllerPort;
    settings.put("node.id", String.valueOf(id));
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("controller.quorum.bootstrap.servers", controller);
    if (id == 1) {
      settings.put("listeners", settings.get("listeners") + ",CONTROLLER://" + controller);
    } else {
      settings.put("process.roles", "broker");
    }
    return settings;
  }
}
