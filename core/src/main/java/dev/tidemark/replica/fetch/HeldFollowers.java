package dev.tidemark.replica.fetch;

import dev.tidemark.env.Timers;
import dev.tidemark.replica.ReplicaContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The followers that a fetcher leaves out of its fetches while their quota is used up. A timer ends
 * that when the quota is free, and from time to time before, for it may have been changed. Owned by
 * the shard.
 */
final class HeldFollowers {
  private final FollowerThrottle throttle;
  private final ReplicaContext context;
  private final long lookAgainMs;
  private final Consumer<List<FetchedFollower>> whenFree;
  private final Set<FetchedFollower> held = new LinkedHashSet<>();
  private Timers.@Nullable Timer timer;

  /**
   * @param lookAgainMs so long followers are held at most before it is looked at anew, at least 1
   * @param whenFree takes those that are held no more
   */
  HeldFollowers(
      FollowerThrottle throttle,
      ReplicaContext context,
      long lookAgainMs,
      Consumer<List<FetchedFollower>> whenFree) {
    this.throttle = throttle;
    this.context = context;
    this.lookAgainMs = lookAgainMs;
    this.whenFree = whenFree;
  }

  /** Counts what was fetched for a follower. */
  void record(FetchedFollower one, long bytes) {
    throttle.record(one.follower, context.clock().monotonicMs(), bytes);
  }

  /** True when the quota is found used up now, and was not before: all are to be looked at. */
  boolean begins() {
    if (timer != null) {
      return false;
    }
    long freeInMs = throttle.freeInMs(context.clock().monotonicMs());
    if (freeInMs > 0) {
      timer = context.timers().schedule(Math.min(freeInMs, lookAgainMs), this::end);
    }
    return freeInMs > 0;
  }

  /** True of a follower that has to wait, which is handed back later. */
  boolean takes(FetchedFollower one) {
    boolean waits = timer != null && throttle.holds(one.follower);
    if (waits) {
      held.add(one);
    } else {
      held.remove(one);
    }
    return waits;
  }

  void remove(FetchedFollower one) {
    held.remove(one);
  }

  private void end() {
    timer = null;
    List<FetchedFollower> freed = new ArrayList<>(held);
    held.clear();
    whenFree.accept(freed);
  }

  void stop() {
    held.clear();
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
