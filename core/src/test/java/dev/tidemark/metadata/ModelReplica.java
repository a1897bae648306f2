package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A replica's log, and what its broker knows while it leads: enough to tell which records are
 * acknowledged with acks=all, by the rules of the design.
 */
final class ModelReplica {
  private static final int NONE = -1;

  /** A record; what it holds is its number. */
  record Entry(int leaderEpoch, int number) {}

  /** A follower as the leader saw it fetch last. */
  record Follower(int endOffset, long brokerEpoch) {}

  final List<Entry> log = new ArrayList<>();
  final Map<Integer, Follower> followers = new TreeMap<>();

  /** The committed ISR, as the leader knows it. */
  Set<Integer> isr = new TreeSet<>();

  /** What was proposed and has neither committed nor been refused. */
  Set<Integer> proposed = new TreeSet<>();

  int partitionEpoch = NONE;
  int highWatermark;
  private int leaderEpoch = NONE;
  private int startOffset;

  /** The broker leads in this epoch; of its followers nothing is known when it is a new one. */
  void lead(int epoch, int newPartitionEpoch, Set<Integer> newIsr) {
    if (epoch != leaderEpoch) {
      leaderEpoch = epoch;
      startOffset = log.size();
      followers.clear();
      highWatermark = 0;
      partitionEpoch = NONE;
    }
    if (newPartitionEpoch > partitionEpoch) {
      partitionEpoch = newPartitionEpoch;
      isr = newIsr;
      proposed = new TreeSet<>();
    }
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  /** It may join the ISR: it has reached the high watermark and the start of this epoch. */
  boolean mayJoin(int follower) {
    Follower known = followers.get(follower);
    return known != null && known.endOffset >= highWatermark && known.endOffset >= startOffset;
  }

  /** Moves the high watermark, unless the committed ISR is below {@code floor}. */
  void advance(int self, int floor) {
    if (isr.size() < floor) {
      return;
    }
    Set<Integer> maximal = new TreeSet<>(isr);
    maximal.addAll(proposed);
    int lowest = log.size();
    for (int member : maximal) {
      if (member != self) {
        Follower known = followers.get(member);
        lowest = Math.min(lowest, known == null ? 0 : known.endOffset);
      }
    }
    highWatermark = Math.max(highWatermark, lowest);
  }

  /** Cuts what contradicts the leader; returns the end of what is left. */
  int truncateTo(ModelReplica leader) {
    int common = 0;
    while (common < Math.min(log.size(), leader.log.size())
        && log.get(common).equals(leader.log.get(common))) {
      common++;
    }
    cut(common);
    return common;
  }

  void cut(int endOffset) {
    while (log.size() > endOffset) {
      log.remove(log.size() - 1);
    }
  }
}
