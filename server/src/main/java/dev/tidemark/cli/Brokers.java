package dev.tidemark.cli;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;

/** What commands share that name brokers. */
final class Brokers {
  private Brokers() {}

  /** The ids of the brokers that serve, ascending. */
  static List<Integer> ids(Admin admin) throws CommandFailure, InterruptedException {
    return AdminCommand.await(admin.describeCluster().nodes()).stream()
        .map(Node::id)
        .sorted()
        .toList();
  }

  /** Whether the brokers create a topic that a client writes to. */
  static boolean createTopicsOnUse(Admin admin) throws CommandFailure, InterruptedException {
    List<Integer> serving = ids(admin);
    if (serving.isEmpty()) {
      return false;
    }
    ConfigResource broker =
        new ConfigResource(ConfigResource.Type.BROKER, String.valueOf(serving.get(0)));
    Config config = AdminCommand.await(admin.describeConfigs(List.of(broker)).all()).get(broker);
    ConfigEntry entry = config == null ? null : config.get("auto.create.topics.enable");
    return entry == null || Boolean.parseBoolean(entry.value());
  }

  /** Fails when one of the brokers does not serve: a client would look for it for a minute. */
  static void requireAll(Admin admin, Collection<Integer> wanted)
      throws CommandFailure, InterruptedException {
    List<Integer> serving = ids(admin);
    for (int id : wanted) {
      if (!serving.contains(id)) {
        throw CommandFailure.failed(
            "there is no broker "
                + id
                + " that serves; those that do have the ids "
                + serving.stream().map(String::valueOf).collect(Collectors.joining(", "))
                + ": correct --broker, or start it");
      }
    }
  }
}
