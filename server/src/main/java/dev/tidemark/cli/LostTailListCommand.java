package dev.tidemark.cli;

import dev.tidemark.replica.LostTailEntry;
import dev.tidemark.replica.LostTailEntry.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark lost-tail list}. */
@Command(
    name = "list",
    description =
        "Lists what failovers cost, as far as it is known; asks every broker that serves.")
final class LostTailListCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Option(names = "--topic", paramLabel = "NAME", description = "Only that topic's.")
  @Nullable String topic;

  private final List<Found> found = new ArrayList<>();
  private final List<String> unlisted = new ArrayList<>();
  private boolean isComplete = true;

  private record Found(LostTailId id, LostTailEntry entry) {}

  @Override
  void refuseMistakes() throws CommandFailure {
    if (topic != null) {
      Topics.requireName(topic);
    }
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    if (topic != null) {
      Topics.requireAll(admin, List.of(topic));
    }
    for (Node broker : LostTailCalls.brokers(admin)) {
      if (broker.isFenced()) {
        isComplete = false;
        System.err.println("Broker " + broker.id() + " is fenced and was not asked.");
      } else {
        ask(broker);
      }
    }
    unlisted.forEach(one -> System.err.println("This is not all: " + one + "."));
    output.print(found.stream().map(LostTailListCommand::document).toList(), this::printText);
    if (!unlisted.isEmpty()) {
      throw CommandFailure.failed(
          "the list of lost tails is not complete, as said above it: ask again when that is mended");
    }
  }

  /** One that cannot be asked does not keep the others' from the user. */
  private void ask(Node broker) {
    try {
      LostTailCalls.Listed listed = LostTailCalls.list(broker, topic);
      listed
          .entries()
          .forEach(entry -> found.add(new Found(LostTailId.of(broker.id(), entry), entry)));
      int more = listed.count() - listed.entries().size();
      if (more > 0) {
        unlisted.add(more + " more on broker " + broker.id() + "; name a topic with --topic");
      }
    } catch (CommandFailure e) {
      unlisted.add(String.valueOf(e.getMessage()));
    }
  }

  private void printText() {
    if (found.isEmpty()) {
      System.err.println(
          isComplete && unlisted.isEmpty()
              ? "No lost tails are known."
              : "No lost tails on the brokers that answered.");
      return;
    }
    TextTable table =
        new TextTable(
            "LOST-TAIL",
            "STATE",
            "OF-BROKER",
            "EPOCH",
            "OFFSETS",
            "RECORDS",
            "COMMITTED",
            "BYTES",
            "KEPT",
            "NOTED");
    for (Found one : found) {
      LostTailEntry entry = one.entry;
      table.add(
          one.id,
          entry.state(),
          entry.ofBroker(),
          epochs(entry),
          offsets(entry),
          records(entry),
          orNull(entry.committedRecords()),
          orNull(entry.bytes()),
          isExact(entry) ? entry.keptBytes() : null,
          Instant.ofEpochMilli(entry.atMs()));
    }
    table.print();
  }

  private static boolean isExact(LostTailEntry entry) {
    return entry.state() == State.EXACT;
  }

  private static String epochs(LostTailEntry entry) {
    return entry.firstEpoch() == entry.lastEpoch()
        ? "" + entry.firstEpoch()
        : entry.firstEpoch() + " to " + entry.lastEpoch();
  }

  private static String offsets(LostTailEntry entry) {
    if (isExact(entry)) {
      return entry.startOffset() + " to " + (entry.endOffset() - 1);
    }
    return "from " + entry.startOffset();
  }

  private static String records(LostTailEntry entry) {
    if (isExact(entry)) {
      return "" + entry.records();
    }
    long known = entry.endOffset() - entry.startOffset();
    return known == 0 ? "unknown" : "at least " + known;
  }

  private static @Nullable Long orNull(long number) {
    return number < 0 ? null : number;
  }

  private static Map<String, @Nullable Object> document(Found one) {
    LostTailEntry entry = one.entry;
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("id", one.id.toString());
    document.put("listedBy", one.id.broker());
    document.put("topic", entry.topic());
    document.put("partition", entry.partition());
    document.put("state", entry.state().toString());
    document.put("ofBroker", entry.ofBroker());
    document.put("firstEpoch", entry.firstEpoch());
    document.put("lastEpoch", entry.lastEpoch());
    document.put("leaderEpoch", entry.leaderEpoch());
    document.put("firstOffset", entry.startOffset());
    document.put("lastOffset", isExact(entry) ? entry.endOffset() - 1 : null);
    document.put("records", orNull(entry.records()));
    document.put("recordsAtLeast", atLeast(entry));
    document.put("committedRecords", orNull(entry.committedRecords()));
    document.put("bytes", orNull(entry.bytes()));
    document.put("keptBytes", entry.keptBytes());
    document.put("seenBeforeMs", orNull(entry.seenBeforeMs()));
    document.put("notedMs", entry.atMs());
    return document;
  }

  /** In offsets while it is not exact, of which a compacted log may have fewer records. */
  private static long atLeast(LostTailEntry entry) {
    return isExact(entry) ? entry.records() : entry.endOffset() - entry.startOffset();
  }
}
