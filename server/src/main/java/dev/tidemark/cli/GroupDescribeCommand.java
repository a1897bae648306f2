package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tidemark group describe}: what Kafka's own tool prints, in the same columns. */
@Command(
    name = "describe",
    description = "Prints how far a group has come in each partition, and who reads it.")
final class GroupDescribeCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Parameters(paramLabel = "NAME", description = "The group's name.")
  String name = "";

  /** One line of the answer. */
  private record Position(
      TopicPartition partition,
      @Nullable Long current,
      @Nullable Long end,
      @Nullable MemberDescription member) {

    @Nullable Long lag() {
      return current == null || end == null ? null : end - current;
    }

    Map<String, @Nullable Object> document() {
      Map<String, @Nullable Object> document = new LinkedHashMap<>();
      document.put("topic", partition.topic());
      document.put("partition", partition.partition());
      document.put("currentOffset", current);
      document.put("logEndOffset", end);
      document.put("lag", lag());
      document.put("consumerId", member == null ? null : member.consumerId());
      document.put("host", member == null ? null : member.host());
      document.put("clientId", member == null ? null : member.clientId());
      return document;
    }
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    ConsumerGroupDescription group = Groups.describe(admin, name);
    List<Position> positions = positions(admin, group);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("group", name);
    document.put("type", group.type().toString());
    document.put("state", group.groupState().toString());
    document.put("assignor", group.partitionAssignor());
    document.put("members", group.members().size());
    document.put("partitions", positions.stream().map(Position::document).toList());
    output.print(document, () -> printText(group, positions));
  }

  private void printText(ConsumerGroupDescription group, List<Position> positions) {
    if (group.members().isEmpty()) {
      System.err.println("Group " + name + " has no active members.");
    }
    TextTable table =
        new TextTable(
            "GROUP",
            "TOPIC",
            "PARTITION",
            "CURRENT-OFFSET",
            "LOG-END-OFFSET",
            "LAG",
            "CONSUMER-ID",
            "HOST",
            "CLIENT-ID");
    for (Position one : positions) {
      List<@Nullable Object> row = new ArrayList<>();
      row.add(name);
      row.addAll(one.document().values());
      table.add(row.toArray());
    }
    table.print();
  }

  private List<Position> positions(Admin admin, ConsumerGroupDescription group)
      throws CommandFailure, InterruptedException {
    Map<TopicPartition, @Nullable MemberDescription> readers =
        new TreeMap<>(
            Comparator.comparing(TopicPartition::topic)
                .thenComparingInt(TopicPartition::partition));
    Map<TopicPartition, OffsetAndMetadata> committed =
        await(admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata());
    committed.keySet().forEach(partition -> readers.put(partition, null));
    for (MemberDescription member : group.members()) {
      member.assignment().topicPartitions().forEach(partition -> readers.put(partition, member));
    }
    List<Position> positions = new ArrayList<>();
    for (Map.Entry<TopicPartition, @Nullable MemberDescription> reader : readers.entrySet()) {
      TopicPartition partition = reader.getKey();
      OffsetAndMetadata offset = committed.get(partition);
      positions.add(
          new Position(
              partition,
              offset == null ? null : offset.offset(),
              endOffset(admin, partition),
              reader.getValue()));
    }
    return positions;
  }

  /** Null when the topic is gone: what was committed for it is still shown. */
  private static @Nullable Long endOffset(Admin admin, TopicPartition partition)
      throws CommandFailure, InterruptedException {
    try {
      return Offsets.of(admin, partition, OffsetSpec.latest());
    } catch (CommandFailure e) {
      if (Offsets.isWithoutLeader(e)) {
        System.err.println("The end of " + partition + " is unknown: " + e.getMessage() + ".");
        return null;
      }
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return null;
      }
      throw e;
    }
  }
}
