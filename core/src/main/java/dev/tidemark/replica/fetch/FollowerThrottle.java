package dev.tidemark.replica.fetch;

import dev.tidemark.log.LogId;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.SeenLeader;
import java.util.function.Predicate;

/**
 * Which followers of a broker wait while the quota for what they fetch is used up (KIP-73): those
 * under the throttle that are behind. One in the ISR never waits, for acks=all waits for it. Owned
 * by the data shard.
 */
public final class FollowerThrottle {
  private final ReplicationThrottle throttle;
  private final Predicate<LogId> inSync;

  /** {@code inSync} says of a partition whether this broker is in its ISR, by the metadata. */
  public FollowerThrottle(ReplicationThrottle throttle, Predicate<LogId> inSync) {
    this.throttle = throttle;
    this.inSync = inSync;
  }

  /** Counts what was fetched for a follower. */
  void record(PartitionFollower follower, long nowMs, long bytes) {
    if (bytes > 0 && throttle.covers(follower.log().id())) {
      throttle.record(nowMs, bytes);
    }
  }

  /** How long followers have to wait, 0 when they need not. */
  long freeInMs(long nowMs) {
    return throttle.freeInMs(nowMs);
  }

  /** True of one that has to wait. */
  boolean holds(PartitionFollower follower) {
    LogId id = follower.log().id();
    return throttle.covers(id) && !hasAll(follower) && !inSync.test(id);
  }

  /** One that has all its leader had may fetch on: so it tells where it is, and joins the ISR. */
  private static boolean hasAll(PartitionFollower follower) {
    SeenLeader seen = follower.seenLeader();
    return seen != null
        && seen.leaderEpoch() == follower.leaderEpoch()
        && seen.logEndOffset() <= follower.log().logEndOffset();
  }
}
