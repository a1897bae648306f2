package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
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
      description =
          "earliest, latest, or an offset; where a partition has no such one, the nearest it has.")
  String to = "";

  @Override
  void refuseMistakes() throws CommandFailure {
    Topics.requireName(topic);
    Long unused = wantedOffset();
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    Long wanted = wantedOffset();
    List<String> notes = new ArrayList<>();
    Map<Integer, Long> offsets = new TreeMap<>();
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    for (TopicPartition partition : partitions(admin)) {
      long earliest = offset(admin, partition, OffsetSpec.earliest());
      long latest = offset(admin, partition, OffsetSpec.latest());
      long offset = to.equals("earliest") ? earliest : latest;
      if (wanted != null) {
        offset = Math.max(earliest, Math.min(wanted, latest));
      }
      if (wanted != null && offset != wanted) {
        notes.add(
            "%s has the offsets %d to %d; %d was asked for, the group is set to %d."
                .formatted(partition, earliest, latest, wanted, offset));
      }
      offsets.put(partition.partition(), offset);
      committed.put(partition, new OffsetAndMetadata(offset));
    }
    commit(admin, committed);
    notes.forEach(System.err::println);
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
      long offset = Long.parseLong(to);
      if (offset >= 0) {
        return offset;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw CommandFailure.usage("--to is '" + to + "'; give earliest, latest or an offset");
  }

  private List<TopicPartition> partitions(Admin admin) throws CommandFailure, InterruptedException {
    return Topics.describe(admin, topic).partitions().stream()
        .map(TopicPartitionInfo::partition)
        .map(partition -> new TopicPartition(topic, partition))
        .toList();
  }

  private static long offset(Admin admin, TopicPartition partition, OffsetSpec spec)
      throws CommandFailure, InterruptedException {
    return Offsets.of(admin, partition, spec);
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
