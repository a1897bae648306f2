package dev.tidemark.replica.fetch;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The partitions of a session that have records for a follower outside the ISR, which wait because
 * the quota of their leader is used up (KIP-73). Nobody looks at them until it is free, so that a
 * fetch costs no more for them.
 */
final class WithheldPartitions {
  private final ReplicationThrottle throttle;
  private final Set<ServedPartition> partitions = new LinkedHashSet<>();
  private long seenChanges;

  WithheldPartitions(ReplicationThrottle throttle) {
    this.throttle = throttle;
  }

  boolean isEmpty() {
    return partitions.isEmpty();
  }

  void add(ServedPartition partition) {
    if (partitions.isEmpty()) {
      seenChanges = throttle.changes();
    }
    partition.withheld = true;
    partitions.add(partition);
  }

  void remove(ServedPartition partition) {
    if (partition.withheld) {
      partition.withheld = false;
      partitions.remove(partition);
    }
  }

  /** Hands over those that may go on, in the order in which they came. */
  void release(long nowMs, Consumer<ServedPartition> to) {
    if (partitions.isEmpty() || (throttle.isUsedUp(nowMs) && throttle.changes() == seenChanges)) {
      return;
    }
    List<ServedPartition> released = new ArrayList<>(partitions);
    clear();
    released.forEach(to);
  }

  void clear() {
    partitions.forEach(partition -> partition.withheld = false);
    partitions.clear();
  }
}
