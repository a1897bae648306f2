package dev.tidemark.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Properties;
import picocli.CommandLine.Option;

/** Which broker a client command talks to. */
final class BootstrapOptions {
  private static final int CONNECT_TIMEOUT_MS = 3_000;
  private static final int DEFAULT_PORT = 9092;

  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT",
      defaultValue = "localhost:9092",
      description = "The broker, or several separated by commas. Default: ${DEFAULT-VALUE}.")
  String servers = "";

  String servers() {
    return servers;
  }

  /**
   * Properties of a Kafka client, once one of the servers was reached: a client by itself would try
   * for a minute and tell nothing.
   */
  Properties clientProperties() throws CommandFailure {
    requireReachable();
    Properties properties = new Properties();
    properties.setProperty("bootstrap.servers", servers);
    properties.setProperty("client.id", "tidemark-cli");
    properties.setProperty("enable.metrics.push", "false");
    return properties;
  }

  private void requireReachable() throws CommandFailure {
    String reason = "none is given";
    for (String server : servers.split(",", -1)) {
      try (Socket socket = new Socket()) {
        socket.connect(address(server.strip()), CONNECT_TIMEOUT_MS);
        return;
      } catch (IOException e) {
        reason = FailureText.of(e);
      }
    }
    throw CommandFailure.failed(
        "no broker answers at "
            + servers
            + " ("
            + reason
            + "); start one with 'tidemark dev' or give --bootstrap-server");
  }

  private static InetSocketAddress address(String server) throws CommandFailure {
    int colon = server.lastIndexOf(':');
    try {
      String host = colon < 0 ? server : server.substring(0, colon);
      int port = colon < 0 ? DEFAULT_PORT : Integer.parseInt(server.substring(colon + 1));
      return new InetSocketAddress(host.replaceAll("^\\[|]$", ""), port);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(
          "'" + server + "' is not HOST:PORT; correct --bootstrap-server, e.g. localhost:9092");
    }
  }
}
