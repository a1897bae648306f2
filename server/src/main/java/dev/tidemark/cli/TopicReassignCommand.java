package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic reassign}. */
@Command(
    name = "reassign",
    description = "Moves replicas of a topic to other brokers; the partitions serve meanwhile.")
final class TopicReassignCommand extends AdminCommand {
  @Parameters(paramLabel = "NAME", description = "The topic's name.")
  String name = "";

  @Option(
      names = "--brokers",
      paramLabel = "ID",
      split = ",",
      description = "Spread all partitions evenly over these brokers, moving as few as possible.")
  List<Integer> brokers = new ArrayList<>();

  @Option(
      names = "--replicas",
      paramLabel = "ID",
      split = ",",
      description = "Exactly these replicas for --partition, the preferred leader first.")
  List<Integer> replicas = new ArrayList<>();

  @Option(names = "--partition", paramLabel = "N", description = "The partition for --replicas.")
  @Nullable Integer partition;

  @Override
  void refuseMistakes() throws CommandFailure {
    Topics.requireName(name);
    if (brokers.isEmpty() == replicas.isEmpty() || replicas.isEmpty() != (partition == null)) {
      throw CommandFailure.usage("give --brokers, or --partition with --replicas");
    }
  }

  @Override
  boolean isDecidedByController() {
    return true;
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    Brokers.requireAll(admin, brokers.isEmpty() ? replicas : brokers);
    Map<TopicPartition, List<Integer>> before = new TreeMap<>(ClusterState.ORDER);
    for (TopicPartitionInfo one : Topics.describe(admin, name).partitions()) {
      before.put(new TopicPartition(name, one.partition()), ClusterState.ids(one.replicas()));
    }
    Map<TopicPartition, List<Integer>> changes =
        brokers.isEmpty() ? exactly(before) : spread(before);
    Reassignments.begin(admin, before, changes);
  }

  private Map<TopicPartition, List<Integer>> exactly(Map<TopicPartition, List<Integer>> before)
      throws CommandFailure {
    TopicPartition one = new TopicPartition(name, partition == null ? 0 : partition);
    if (!before.containsKey(one)) {
      throw CommandFailure.failed(
          "topic %s has no partition %d; it has 0 to %d"
              .formatted(name, one.partition(), before.size() - 1));
    }
    return replicas.equals(before.get(one)) ? Map.of() : Map.of(one, replicas);
  }

  private Map<TopicPartition, List<Integer>> spread(Map<TopicPartition, List<Integer>> before)
      throws CommandFailure {
    ReplicaSpread spread = new ReplicaSpread(before, brokers, before);
    if (!spread.vacate(id -> !brokers.contains(id))) {
      throw CommandFailure.failed(
          "a partition of %s has %d replicas, more than --brokers names brokers; name at least as many"
              .formatted(name, before.values().stream().mapToInt(List::size).max().orElse(0)));
    }
    spread.even();
    return spread.changes();
  }
}
