package dev.tidemark.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic describe}. */
@Command(
    name = "describe",
    description = "Prints a topic's partitions and the settings that were made for it.")
final class TopicDescribeCommand extends AdminCommand {
  @Parameters(paramLabel = "NAME", description = "The topic's name.")
  String name = "";

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    TopicDescription topic = topic(admin);
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
    Config config = await(admin.describeConfigs(List.of(resource)).all()).get(resource);
    System.out.printf(
        "%s  id %s  partitions %d%s%n",
        name, topic.topicId(), topic.partitions().size(), settings(config));
    for (TopicPartitionInfo partition : topic.partitions()) {
      System.out.printf(
          "  %d  leader %s  replicas %s  in sync %s%n",
          partition.partition(),
          partition.leader() == null ? "none" : partition.leader().idString(),
          ids(partition.replicas()),
          ids(partition.isr()));
    }
  }

  private TopicDescription topic(Admin admin) throws CommandFailure, InterruptedException {
    KafkaFuture<TopicDescription> answer =
        admin.describeTopics(List.of(name)).topicNameValues().get(name);
    if (answer == null) {
      throw CommandFailure.failed("the broker did not answer for topic " + name);
    }
    try {
      return await(answer);
    } catch (CommandFailure e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        throw CommandFailure.failed(
            "there is no topic " + name + "; 'tidemark topic list' shows those there are");
      }
      throw e;
    }
  }

  private static String settings(@Nullable Config config) {
    if (config == null) {
      return "";
    }
    Map<String, String> made = new TreeMap<>();
    for (ConfigEntry entry : config.entries()) {
      if (entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG) {
        made.put(entry.name(), entry.value());
      }
    }
    return made.isEmpty() ? "" : "  " + made;
  }

  private static String ids(List<Node> nodes) {
    return nodes.stream().map(Node::idString).collect(Collectors.joining(","));
  }
}
