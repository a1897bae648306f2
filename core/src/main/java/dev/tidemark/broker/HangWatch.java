package dev.tidemark.broker;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Timers;

/**
 * Notices when works that run one after the other do not come back: a kernel may wait for a disk
 * for ever, and no error ends that. Owned by one shard; costs a timer while something is under way.
 */
final class HangWatch {
  private final Clock clock;
  private final Timers timers;
  private final long limitMs;
  private final Runnable onHang;
  private int underWay;
  private long sinceMs; // when the one that runs began, which is when the one before it ended
  private boolean looking;
  private boolean told; // of the one that runs

  /** A stalled shard hears late of what has ended: it gets a moment to do so before it judges. */
  private static final long SECOND_LOOK_MS = 1_000;

  /** {@code onHang} is called once for each work that takes longer than {@code limitMs}. */
  HangWatch(Clock clock, Timers timers, long limitMs, Runnable onHang) {
    this.clock = clock;
    this.timers = timers;
    this.limitMs = limitMs;
    this.onHang = onHang;
  }

  /** A work was queued. */
  void begun() {
    if (underWay++ == 0) {
      sinceMs = clock.monotonicMs();
    }
    lookLater();
  }

  /** The oldest work has ended, one way or the other. */
  void ended() {
    underWay--;
    told = false;
    sinceMs = clock.monotonicMs();
    lookLater();
  }

  private void lookLater() {
    if (!looking && !told && underWay > 0) {
      looking = true;
      timers.schedule(limitMs - takenMs(), this::look);
    }
  }

  private long takenMs() {
    return Math.min(limitMs, clock.monotonicMs() - sinceMs);
  }

  private void look() {
    if (takenMs() >= limitMs && underWay > 0) {
      long seenMs = sinceMs;
      timers.schedule(SECOND_LOOK_MS, () -> lookAgain(seenMs));
      return;
    }
    looking = false;
    lookLater();
  }

  private void lookAgain(long seenMs) {
    looking = false;
    if (underWay > 0 && sinceMs == seenMs) {
      told = true;
      onHang.run();
    } else {
      lookLater();
    }
  }
}
