package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.apache.kafka.common.TopicPartition;

/**
 * Where replicas go when brokers come or leave: as few as possible move, and each goes to the
 * broker that has the fewest, the one with the lowest id among several. A replica that takes
 * another's place takes its rank too, so the preferred leader stays the first.
 */
final class ReplicaSpread {
  private final Map<TopicPartition, List<Integer>> before;
  private final Map<TopicPartition, List<Integer>> after = new TreeMap<>(ClusterState.ORDER);
  private final Map<Integer, Integer> load = new TreeMap<>();

  /**
   * @param replicas of the partitions that may be changed
   * @param targets the brokers that may get more
   * @param all of all partitions, which tell how many each broker has
   */
  ReplicaSpread(
      Map<TopicPartition, List<Integer>> replicas,
      Collection<Integer> targets,
      Map<TopicPartition, List<Integer>> all) {
    this.before = replicas;
    replicas.forEach((partition, ids) -> after.put(partition, new ArrayList<>(ids)));
    targets.forEach(id -> load.put(id, 0));
    all.values()
        .forEach(ids -> ids.forEach(id -> load.computeIfPresent(id, (key, count) -> count + 1)));
  }

  /** Has the brokers that leave replaced; false when there are too few others. */
  boolean vacate(IntPredicate leaves) {
    for (List<Integer> ids : after.values()) {
      for (int i = 0; i < ids.size(); i++) {
        if (leaves.test(ids.get(i))) {
          int next = leastLoaded(ids);
          if (next < 0) {
            return false;
          }
          replace(ids, i, next);
        }
      }
    }
    return true;
  }

  private int leastLoaded(List<Integer> without) {
    int best = -1;
    for (int id : load.keySet()) {
      if (!without.contains(id) && (best < 0 || load(id) < load(best))) {
        best = id;
      }
    }
    return best;
  }

  private int load(int id) {
    return load.getOrDefault(id, 0);
  }

  private void replace(List<Integer> ids, int index, int next) {
    int old = ids.set(index, next);
    load.computeIfPresent(old, (key, count) -> count - 1);
    load.merge(next, 1, Integer::sum);
  }

  /** Then moves replicas from the fullest brokers to the emptiest while that evens them out. */
  void even() {
    int movesLeft = after.values().stream().mapToInt(List::size).sum(); // each moves once at most
    boolean moved = true;
    while (moved && movesLeft > 0) {
      moved = moveOne();
      movesLeft--;
    }
  }

  private boolean moveOne() {
    List<Integer> target = new ArrayList<>();
    int from = -1;
    int index = -1;
    int to = -1;
    for (List<Integer> ids : after.values()) {
      int next = leastLoaded(ids);
      for (int i = 0; next >= 0 && i < ids.size(); i++) {
        int gain = load(ids.get(i)) - load(next);
        if (gain > 1 && (to < 0 || gain > load(from) - load(to))) {
          target = ids;
          index = i;
          from = ids.get(i);
          to = next;
        }
      }
    }
    if (to < 0) {
      return false;
    }
    replace(target, index, to);
    return true;
  }

  /** The partitions that change, with their replicas. */
  Map<TopicPartition, List<Integer>> changes() {
    Map<TopicPartition, List<Integer>> changes = new TreeMap<>(ClusterState.ORDER);
    after.forEach(
        (partition, ids) -> {
          if (!ids.equals(before.get(partition))) {
            changes.put(partition, ids);
          }
        });
    return changes;
  }
}
