package dev.tidemark.metadata;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * Partitions that lost their leader while it may still serve: nobody is elected before the old
 * leader has acknowledged the metadata that took the partition from it, its lease has ended, or it
 * is proven to have stopped. So no two brokers ever serve one partition as its leader.
 *
 * <p>Every partition that is left without a leader gets here by itself, whatever the reason;
 * whoever has a proof calls {@link #onStopped}. A new active controller does not know who led a
 * partition that has no leader, so it waits for all that may have.
 */
final class LeadershipHandovers {
  private final Map<PartitionKey, Set<Integer>> waits = new HashMap<>();

  /** What each broker is waited for, the oldest first. */
  private final NavigableMap<Integer, LinkedHashMap<PartitionKey, Wait>> byBroker = new TreeMap<>();

  private final NavigableSet<PartitionKey> ready = new TreeSet<>();

  /** Of those that wait: any replica may lead once the wait is over, as somebody asked for. */
  private final Set<PartitionKey> uncleanWishes = new HashSet<>();

  /** Until a broker has applied the metadata up to {@code offset}. */
  private record Wait(long offset, long sinceMs) {}

  /** True while no leader may be elected; {@code stopped} are brokers known not to serve. */
  boolean isHeld(PartitionKey key, Set<Integer> stopped) {
    Set<Integer> waited = waits.get(key);
    return waited != null && !stopped.containsAll(waited);
  }

  /** The brokers that are waited for, in order. */
  List<Integer> brokers() {
    return List.copyOf(byBroker.keySet());
  }

  boolean isWaitedFor(int brokerId) {
    return byBroker.containsKey(brokerId);
  }

  /** Since when the broker has not acknowledged; null if it is not waited for. */
  @Nullable Long waitingSinceMs(int brokerId) {
    Map<PartitionKey, Wait> keys = byBroker.get(brokerId);
    return keys == null ? null : keys.values().iterator().next().sinceMs;
  }

  /** Partitions for which all that may have led them have stopped; they are to be elected now. */
  NavigableSet<PartitionKey> ready() {
    return ready;
  }

  /** Somebody wants any replica to lead once the wait is over; forgotten when it is. */
  void wishUnclean(PartitionKey key) {
    if (waits.containsKey(key)) {
      uncleanWishes.add(key);
    }
  }

  boolean isUncleanWished(PartitionKey key) {
    return uncleanWishes.contains(key);
  }

  /** An election was tried, and nobody is there: who returns will be elected. */
  void onNobodyElected(PartitionKey key) {
    ready.remove(key);
    uncleanWishes.remove(key);
  }

  /** This node decides from now on. */
  void onActive(MetadataImage image, Iterable<PartitionKey> leaderless, long nowMs) {
    waits.clear();
    byBroker.clear();
    ready.clear();
    uncleanWishes.clear();
    long offset = image.provenance().lastContainedOffset();
    for (PartitionKey key : leaderless) {
      TopicImage topic = image.topics().getTopic(key.topicId());
      PartitionRegistration state = topic == null ? null : topic.partitions().get(key.partition());
      if (state == null) {
        continue;
      }
      int[] suspects = state.lastKnownElr.length > 0 ? state.lastKnownElr : state.replicas;
      for (int broker : suspects) {
        await(key, broker, new Wait(offset, nowMs));
      }
    }
  }

  /** {@code needsNoWait} tells brokers that follow the metadata at once. */
  void onMetadataUpdate(
      MetadataDelta delta, MetadataImage image, IntPredicate needsNoWait, long nowMs) {
    Wait wait = new Wait(image.provenance().lastContainedOffset(), nowMs);
    PartitionDeltas.forEach(
        delta,
        (key, before, after) -> {
          if (after == null || after.hasLeader()) {
            forget(key);
          } else if (before != null && before.hasLeader() && !needsNoWait.test(before.leader)) {
            await(key, before.leader, wait);
          }
        });
  }

  /** The broker has applied the metadata up to {@code offset} and acts upon it. */
  void onAcknowledged(int brokerId, long offset) {
    Map<PartitionKey, Wait> keys = byBroker.get(brokerId);
    while (keys != null && !keys.isEmpty()) {
      Map.Entry<PartitionKey, Wait> oldest = keys.entrySet().iterator().next();
      if (oldest.getValue().offset > offset) {
        return;
      }
      release(oldest.getKey(), brokerId);
    }
  }

  /** The broker's lease has ended, or it is proven that it does not run. */
  void onStopped(int brokerId) {
    onAcknowledged(brokerId, Long.MAX_VALUE);
  }

  private void await(PartitionKey key, int brokerId, Wait wait) {
    waits.computeIfAbsent(key, any -> new TreeSet<>()).add(brokerId);
    byBroker.computeIfAbsent(brokerId, any -> new LinkedHashMap<>()).put(key, wait);
    ready.remove(key);
  }

  private void release(PartitionKey key, int brokerId) {
    dropFromBroker(key, brokerId);
    Set<Integer> waited = waits.get(key);
    if (waited != null && waited.remove(brokerId) && waited.isEmpty()) {
      waits.remove(key);
      ready.add(key);
    }
  }

  private void forget(PartitionKey key) {
    ready.remove(key);
    uncleanWishes.remove(key);
    Set<Integer> waited = waits.remove(key);
    if (waited != null) {
      waited.forEach(broker -> dropFromBroker(key, broker));
    }
  }

  private void dropFromBroker(PartitionKey key, int brokerId) {
    Map<PartitionKey, Wait> keys = byBroker.get(brokerId);
    if (keys != null) {
      keys.remove(key);
      if (keys.isEmpty()) {
        byBroker.remove(brokerId);
      }
    }
  }
}
