package dev.tidemark.replica;

/**
 * What a leader knows of one follower, in this one leader epoch. Nothing of it is carried into
 * another epoch: meanwhile somebody else may have led, and the follower have truncated for them.
 */
final class ReplicaProgress {
  static final long UNKNOWN = -1;
  private static final long NEVER = Long.MIN_VALUE;

  private final int brokerId;
  private long brokerEpoch = UNKNOWN;
  private long endOffset = UNKNOWN;
  private long logStartOffset = UNKNOWN;
  private long highWatermark = UNKNOWN;
  private int lastFetchedEpoch = -1;
  private long lastCaughtUpMs;
  private long lastFetchMs = NEVER;
  private long leaderEndAtLastFetch = Long.MAX_VALUE;
  private boolean inMaximalIsr;

  /** The lag clock of an in-sync follower starts with the leader, or there would be no time. */
  ReplicaProgress(int brokerId, boolean inSync, long nowMs) {
    this.brokerId = brokerId;
    this.lastCaughtUpMs = inSync ? nowMs : NEVER;
  }

  int brokerId() {
    return brokerId;
  }

  /** The registration under which it fetched last, or {@link #UNKNOWN}. */
  long brokerEpoch() {
    return brokerEpoch;
  }

  /** Its log end offset, or {@link #UNKNOWN} until it has fetched. */
  long endOffset() {
    return endOffset;
  }

  /** Its log start offset, or {@link #UNKNOWN}. */
  long logStartOffset() {
    return logStartOffset;
  }

  /** The high watermark it knew when it fetched last, or {@link #UNKNOWN}. */
  long highWatermark() {
    return highWatermark;
  }

  /** The epoch of its last record, -1 without one. */
  int lastFetchedEpoch() {
    return lastFetchedEpoch;
  }

  /** In the committed ISR, or in the one that is proposed. */
  boolean isInMaximalIsr() {
    return inMaximalIsr;
  }

  void setInMaximalIsr(boolean value) {
    inMaximalIsr = value;
  }

  /**
   * Takes in a fetch that did not diverge. A follower is caught up at the moment of a fetch that
   * reaches the leader's end, and at the moment of its last fetch if it has by now reached the end
   * of then: otherwise steady writes would leave nobody in sync.
   */
  void onFetch(FollowerFetch fetch, long leaderEndOffset, long nowMs) {
    if (fetch.fetchOffset() >= leaderEndOffset) {
      lastCaughtUpMs = Math.max(lastCaughtUpMs, nowMs);
    } else if (fetch.fetchOffset() >= leaderEndAtLastFetch) {
      lastCaughtUpMs = Math.max(lastCaughtUpMs, lastFetchMs);
    }
    lastFetchMs = nowMs;
    leaderEndAtLastFetch = leaderEndOffset;
    endOffset = fetch.fetchOffset();
    lastFetchedEpoch = fetch.lastFetchedEpoch();
    logStartOffset = fetch.logStartOffset();
    highWatermark = fetch.highWatermark();
    brokerEpoch = fetch.brokerEpoch();
  }

  /**
   * The leader's log grows. Who had all of it until now had it when its broker last fetched
   * anything.
   */
  void onLeaderEnd(long endOffsetBefore, long lastContactMs) {
    if (endOffset == endOffsetBefore) {
      lastCaughtUpMs = Math.max(lastCaughtUpMs, lastContactMs);
    }
  }

  /** True when it has all that the leader has, or had it no longer ago than the rule allows. */
  boolean isCaughtUp(long leaderEndOffset, LagRule lag, long nowMs) {
    if (endOffset == leaderEndOffset) {
      return true;
    }
    boolean near = endOffset == UNKNOWN || leaderEndOffset - endOffset <= lag.offsetsMax();
    return near && lastCaughtUpMs != NEVER && nowMs - lastCaughtUpMs <= lag.timeMaxMs();
  }

  @Override
  public String toString() {
    return "broker " + brokerId + " (epoch " + brokerEpoch + ") at " + endOffset;
  }
}
