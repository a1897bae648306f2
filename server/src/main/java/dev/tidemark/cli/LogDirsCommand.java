package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark log-dirs}; the JSON is what Kafka's own tool prints, with room and totals. */
@Command(
    name = "log-dirs",
    description = "Prints the brokers' data folders, the room in them and what lies there.")
final class LogDirsCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Option(names = "--broker", paramLabel = "ID", description = "Only that broker; may be repeated.")
  List<Integer> brokers = new ArrayList<>();

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      description = "Only that topic's partitions; may be repeated.")
  List<String> topics = new ArrayList<>();

  @Override
  void refuseMistakes() throws CommandFailure {
    for (String topic : topics) {
      Topics.requireName(topic);
    }
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    Brokers.requireAll(admin, brokers);
    Topics.requireAll(admin, topics);
    Collection<Integer> ids = brokers.isEmpty() ? Brokers.ids(admin) : brokers;
    Map<Integer, Map<String, LogDirDescription>> found =
        new TreeMap<>(await(admin.describeLogDirs(ids).allDescriptions()));
    List<Object> documents = new ArrayList<>();
    found.forEach((broker, dirs) -> documents.add(brokerDocument(broker, dirs)));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("version", 1);
    document.put("brokers", documents);
    output.print(document, () -> printText(found));
  }

  private Map<String, Object> brokerDocument(int broker, Map<String, LogDirDescription> dirs) {
    List<Object> documents = new ArrayList<>();
    new TreeMap<>(dirs).forEach((path, dir) -> documents.add(dirDocument(path, dir)));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("broker", broker);
    document.put("logDirs", documents);
    return document;
  }

  private Map<String, @Nullable Object> dirDocument(String path, LogDirDescription dir) {
    List<Object> partitions = new ArrayList<>();
    replicas(dir)
        .forEach(
            (partition, replica) -> {
              Map<String, Object> one = new LinkedHashMap<>();
              one.put("partition", partition.toString());
              one.put("size", replica.size());
              one.put("offsetLag", replica.offsetLag());
              one.put("isFuture", replica.isFuture());
              partitions.add(one);
            });
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("logDir", path);
    document.put("error", dir.error() == null ? null : dir.error().getMessage());
    document.put("totalBytes", boxed(dir.totalBytes()));
    document.put("usableBytes", boxed(dir.usableBytes()));
    document.put("partitions", partitions);
    return document;
  }

  private static @Nullable Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  private Map<TopicPartition, ReplicaInfo> replicas(LogDirDescription dir) {
    Map<TopicPartition, ReplicaInfo> sorted =
        new TreeMap<>(
            Comparator.comparing(TopicPartition::topic)
                .thenComparingInt(TopicPartition::partition));
    dir.replicaInfos()
        .forEach(
            (partition, replica) -> {
              if (topics.isEmpty() || topics.contains(partition.topic())) {
                sorted.put(partition, replica);
              }
            });
    return sorted;
  }

  private void printText(Map<Integer, Map<String, LogDirDescription>> found) {
    found.forEach(
        (broker, dirs) -> new TreeMap<>(dirs).forEach((path, dir) -> printDir(broker, path, dir)));
  }

  private void printDir(int broker, String path, LogDirDescription dir) {
    System.out.printf(
        "broker %d  %s  %s%n",
        broker, path, dir.error() == null ? room(dir) : "offline: " + dir.error().getMessage());
    if (dir.replicaInfos().isEmpty()) {
      return;
    }
    TextTable table = new TextTable("  PARTITION", "BYTES", "LAG", "MOVES-HERE");
    replicas(dir)
        .forEach(
            (partition, replica) ->
                table.add(
                    "  " + partition,
                    replica.size(),
                    replica.offsetLag(),
                    replica.isFuture() ? "yes" : "no"));
    table.print();
  }

  private static String room(LogDirDescription dir) {
    return dir.totalBytes().isPresent() && dir.usableBytes().isPresent()
        ? "%d of %d MiB free"
            .formatted(dir.usableBytes().getAsLong() >> 20, dir.totalBytes().getAsLong() >> 20)
        : "";
  }
}
