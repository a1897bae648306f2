package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tidemark broker list}. */
@Command(
    name = "list",
    description = "Lists the brokers, what they lead, and where they are not in sync.")
final class BrokerListCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    boolean isCurrent = Controllers.isOneActive(admin);
    ClusterState state = ClusterState.ask(admin);
    List<Map<String, @Nullable Object>> documents =
        state.brokers().stream().map(broker -> document(state, broker, isCurrent)).toList();
    if (!isCurrent) {
      System.err.println(
          "No controller is active now. This is as of the last metadata that the broker has which was"
              + " asked; which brokers serve is unknown. Start the controllers that are down.");
    }
    output.print(documents, () -> printText(documents));
  }

  /** {@code isCurrent}: a controller fences brokers that fall silent. */
  private static Map<String, @Nullable Object> document(
      ClusterState state, Node broker, boolean isCurrent) {
    int leads = 0;
    int replicas = 0;
    int notInSync = 0;
    for (TopicPartitionInfo partition : state.partitions().values()) {
      Node leader = partition.leader();
      leads += leader != null && leader.id() == broker.id() ? 1 : 0;
      if (ClusterState.ids(partition.replicas()).contains(broker.id())) {
        replicas++;
        notInSync += ClusterState.ids(partition.isr()).contains(broker.id()) ? 0 : 1;
      }
    }
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("broker", broker.id());
    document.put("address", broker.host() + ":" + broker.port());
    document.put("rack", broker.rack());
    document.put("state", broker.isFenced() ? "fenced" : isCurrent ? "serves" : "unknown");
    document.put("leads", leads);
    document.put("replicas", replicas);
    document.put("notInSync", notInSync);
    return document;
  }

  private static void printText(List<Map<String, @Nullable Object>> documents) {
    TextTable table =
        new TextTable("BROKER", "ADDRESS", "RACK", "STATE", "LEADS", "REPLICAS", "NOT-IN-SYNC");
    for (Map<String, @Nullable Object> one : documents) {
      List<@Nullable Object> row = new ArrayList<>(one.values());
      table.add(row.toArray());
    }
    table.print();
  }
}
