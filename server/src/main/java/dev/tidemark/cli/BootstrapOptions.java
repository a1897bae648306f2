package dev.tidemark.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import picocli.CommandLine.Option;

/** Which broker a client command talks to. */
final class BootstrapOptions {
  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT",
      defaultValue = "localhost:9092",
      description = "The broker, or several separated by commas. Default: ${DEFAULT-VALUE}.")
  String servers = "";

  /** Properties of a Kafka client, once one of the servers answered as a broker does. */
  Properties clientProperties() throws CommandFailure {
    return clientProperties(new Properties());
  }

  /** The same with what the user gave besides, which wins. */
  Properties clientProperties(Properties given) throws CommandFailure {
    String protocol = given.getProperty("security.protocol", "PLAINTEXT").toUpperCase(Locale.ROOT);
    requireBroker(protocol.endsWith("SSL"), protocol.equals("PLAINTEXT"));
    Properties properties = new Properties();
    properties.setProperty("bootstrap.servers", servers.replaceAll("\\s", ""));
    properties.setProperty("client.id", "tidemark-cli");
    properties.setProperty("enable.metrics.push", "false");
    properties.putAll(given);
    return properties;
  }

  private void requireBroker(boolean encrypted, boolean anonymous) throws CommandFailure {
    List<ServerAddress> addresses = new ArrayList<>();
    for (String server : servers.split(",", -1)) {
      addresses.add(ServerAddress.parse(server.strip()));
    }
    List<String> reasons = new ArrayList<>();
    for (ServerAddress address : addresses) {
      try {
        BrokerGreeting.exchange(address, encrypted, anonymous);
        return;
      } catch (IOException e) {
        reasons.add(address + " (" + FailureText.of(e) + ")");
      }
    }
    throw CommandFailure.failed(
        "no broker answers at "
            + String.join(", nor at ", reasons)
            + "; start one with 'tidemark dev' or give --bootstrap-server");
  }
}
