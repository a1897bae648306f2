package dev.tidemark.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic describe}. */
@Command(
    name = "describe",
    description = "Prints a topic's partitions and the settings that were made for it.")
final class TopicDescribeCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Parameters(paramLabel = "NAME", description = "The topic's name.")
  String name = "";

  @Override
  void refuseMistakes() throws CommandFailure {
    Topics.requireName(name);
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    TopicDescription topic = Topics.describe(admin, name);
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
    Config config = await(admin.describeConfigs(List.of(resource)).all()).get(resource);
    Map<String, String> settings = settings(config);
    output.print(document(topic, settings), () -> printText(topic, settings));
  }

  private Map<String, Object> document(TopicDescription topic, Map<String, String> settings) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", name);
    document.put("id", topic.topicId().toString());
    document.put("configs", settings);
    document.put("partitions", topic.partitions().stream().map(this::document).toList());
    return document;
  }

  private Map<String, @Nullable Object> document(TopicPartitionInfo partition) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("partition", partition.partition());
    document.put("leader", partition.leader() == null ? null : partition.leader().id());
    document.put("replicas", partition.replicas().stream().map(Node::id).toList());
    document.put("isr", partition.isr().stream().map(Node::id).toList());
    return document;
  }

  private void printText(TopicDescription topic, Map<String, String> settings) {
    System.out.printf(
        "%s  id %s  partitions %d%s%n",
        name,
        topic.topicId(),
        topic.partitions().size(),
        settings.isEmpty() ? "" : "  " + settings);
    for (TopicPartitionInfo partition : topic.partitions()) {
      System.out.printf(
          "  %d  leader %s  replicas %s  in sync %s%n",
          partition.partition(),
          partition.leader() == null ? "none" : partition.leader().idString(),
          ids(partition.replicas()),
          ids(partition.isr()));
    }
  }

  private static Map<String, String> settings(@Nullable Config config) {
    Map<String, String> made = new TreeMap<>();
    if (config == null) {
      return made;
    }
    for (ConfigEntry entry : config.entries()) {
      if (entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG) {
        made.put(entry.name(), entry.value());
      }
    }
    return made;
  }

  private static String ids(List<Node> nodes) {
    return nodes.stream().map(Node::idString).collect(Collectors.joining(","));
  }
}
