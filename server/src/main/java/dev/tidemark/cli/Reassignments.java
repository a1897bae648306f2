package dev.tidemark.cli;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What commands share that move replicas to other brokers. */
final class Reassignments {
  private Reassignments() {}

  /** Begins the moves and prints them. */
  static void begin(
      Admin admin,
      Map<TopicPartition, List<Integer>> before,
      Map<TopicPartition, List<Integer>> changes)
      throws CommandFailure, InterruptedException {
    if (changes.isEmpty()) {
      System.out.println("Nothing is to be moved.");
      return;
    }
    Map<TopicPartition, Optional<NewPartitionReassignment>> asked = new HashMap<>();
    changes.forEach(
        (partition, ids) -> asked.put(partition, Optional.of(new NewPartitionReassignment(ids))));
    Void unused = AdminCommand.await(admin.alterPartitionReassignments(asked).all());
    changes.forEach(
        (partition, ids) ->
            System.out.printf("%s  %s -> %s%n", partition, text(before.get(partition)), text(ids)));
    System.out.println(
        "The moves have begun; 'tidemark topic moves' shows those that are still under way.");
  }

  /** The moves under way, by topic and partition. */
  static Map<TopicPartition, PartitionReassignment> underWay(Admin admin)
      throws CommandFailure, InterruptedException {
    Map<TopicPartition, PartitionReassignment> sorted = new TreeMap<>(ClusterState.ORDER);
    sorted.putAll(AdminCommand.await(admin.listPartitionReassignments().reassignments()));
    return sorted;
  }

  static String text(@Nullable List<Integer> ids) {
    return ids == null ? "" : ids.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
