package dev.tidemark.cli;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark group reset-offsets}. */
@Command(
    name = "reset-offsets",
    description = "Moves a group without members to another place in a topic.")
final class GroupResetCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Parameters(paramLabel = "NAME", description = "The group's name; it need not exist yet.")
  String name = "";

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  String topic = "";

  @Option(
      names = "--to",
      required = true,
      paramLabel = "PLACE",
      description = "earliest, latest, or an offset, which is kept within what there is.")
  String to = "";

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    Long wanted = wantedOffset();
    Map<Integer, Long> offsets = new TreeMap<>();
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    for (TopicPartition partition : partitions(admin)) {
      long earliest = offset(admin, partition, OffsetSpec.earliest());
      long latest = offset(admin, partition, OffsetSpec.latest());
      long offset = wanted == null ? (to.equals("earliest") ? earliest : latest) : wanted;
      offset = Math.max(earliest, Math.min(offset, latest));
      offsets.put(partition.partition(), offset);
      committed.put(partition, new OffsetAndMetadata(offset));
    }
    commit(admin, committed);
    output.print(
        offsets.entrySet().stream().map(this::document).toList(),
        () -> {
          TextTable table = new TextTable("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET");
          offsets.forEach((partition, offset) -> table.add(name, topic, partition, offset));
          table.print();
        });
  }

  private Map<String, Object> document(Map.Entry<Integer, Long> offset) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("topic", topic);
    document.put("partition", offset.getKey());
    document.put("newOffset", offset.getValue());
    return document;
  }

  /** Null for earliest and latest. */
  private @Nullable Long wantedOffset() throws CommandFailure {
    if (to.equals("earliest") || to.equals("latest")) {
      return null;
    }
    try {
      return Long.valueOf(to);
    } catch (NumberFormatException e) {
      throw CommandFailure.usage("--to is '" + to + "'; give earliest, latest or an offset");
    }
  }

  private List<TopicPartition> partitions(Admin admin) throws CommandFailure, InterruptedException {
    KafkaFuture<TopicDescription> answer =
        admin.describeTopics(List.of(topic)).topicNameValues().get(topic);
    if (answer == null) {
      throw CommandFailure.failed("the broker did not answer for topic " + topic);
    }
    return await(answer).partitions().stream()
        .map(TopicPartitionInfo::partition)
        .map(partition -> new TopicPartition(topic, partition))
        .toList();
  }

  private static long offset(Admin admin, TopicPartition partition, OffsetSpec spec)
      throws CommandFailure, InterruptedException {
    ListOffsetsResultInfo found =
        await(admin.listOffsets(Map.of(partition, spec)).partitionResult(partition));
    return found.offset();
  }

  private void commit(Admin admin, Map<TopicPartition, OffsetAndMetadata> offsets)
      throws CommandFailure, InterruptedException {
    try {
      await(admin.alterConsumerGroupOffsets(name, offsets).all());
    } catch (CommandFailure e) {
      if (e.getCause() instanceof UnknownMemberIdException) {
        throw CommandFailure.failed(
            "group " + name + " has members; stop its consumers, then move it");
      }
      throw e;
    }
  }
}
