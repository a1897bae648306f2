package dev.tidemark.metadata;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions a broker has to do with, so that what happens to it costs as much as it has
 * partitions, however many the cluster has. Follows the committed metadata.
 */
final class PartitionIndex {
  private static final NavigableSet<PartitionKey> NONE =
      java.util.Collections.unmodifiableNavigableSet(new TreeSet<>());

  private final Map<Integer, NavigableSet<PartitionKey>> byReplica = new HashMap<>();
  private final Map<Integer, Integer> leaderships = new HashMap<>();
  private final NavigableSet<PartitionKey> leaderless = new TreeSet<>();
  private final NavigableSet<PartitionKey> notPreferred = new TreeSet<>();
  private final NavigableSet<PartitionKey> withEligible = new TreeSet<>();

  /** The partitions that have a replica on the broker, in order. */
  NavigableSet<PartitionKey> of(int brokerId) {
    return byReplica.getOrDefault(brokerId, NONE);
  }

  /** How many partitions the broker leads. */
  int leaderships(int brokerId) {
    return leaderships.getOrDefault(brokerId, 0);
  }

  /** The partitions without a leader. */
  NavigableSet<PartitionKey> leaderless() {
    return leaderless;
  }

  /** The partitions that are led, but not by their first replica. */
  NavigableSet<PartitionKey> notPreferred() {
    return notPreferred;
  }

  /** The partitions with replicas that may lead though they are not in sync (KIP-966). */
  NavigableSet<PartitionKey> withEligible() {
    return withEligible;
  }

  void onMetadataUpdate(MetadataDelta delta) {
    PartitionDeltas.forEach(
        delta,
        (key, before, after) -> {
          if (before != null) {
            remove(key, before);
          }
          if (after != null) {
            add(key, after);
          }
        });
  }

  private void add(PartitionKey key, PartitionRegistration state) {
    for (int replica : state.replicas) {
      byReplica.computeIfAbsent(replica, id -> new TreeSet<>()).add(key);
    }
    if (!state.hasLeader()) {
      leaderless.add(key);
    } else {
      leaderships.merge(state.leader, 1, Integer::sum);
      if (!state.hasPreferredLeader()) {
        notPreferred.add(key);
      }
    }
    if (state.elr.length > 0) {
      withEligible.add(key);
    }
  }

  private void remove(PartitionKey key, PartitionRegistration state) {
    for (int replica : state.replicas) {
      NavigableSet<PartitionKey> keys = byReplica.get(replica);
      if (keys != null) {
        keys.remove(key);
        if (keys.isEmpty()) {
          byReplica.remove(replica);
        }
      }
    }
    if (state.hasLeader()) {
      leaderships.merge(state.leader, -1, PartitionIndex::sumOrNothing);
    }
    leaderless.remove(key);
    notPreferred.remove(key);
    withEligible.remove(key);
  }

  private static @Nullable Integer sumOrNothing(int one, int other) {
    int sum = one + other;
    return sum == 0 ? null : sum;
  }
}
