package dev.tidemark.replica;

import dev.tidemark.env.Clock;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.LogId;
import dev.tidemark.replica.LostTailEntry.State;
import org.jspecify.annotations.Nullable;

/**
 * What an election costs, as far as the new leader knows: how much of the old leader's log is not
 * in its own. From the election on it is what the old leader was last heard to have ("at least",
 * unconfirmed), which may be nothing; it becomes exact when the old leader comes back and
 * truncates. One that never comes back stays unconfirmed.
 */
public final class ElectionLoss {
  private static final long UNKNOWN = -1;

  private final int oldLeaderId;
  private final int oldLeaderEpoch;
  private final int newLeaderEpoch;
  private final long seenBeforeMs;
  private final long electedEndOffset;
  private final long atMs;
  private State certainty;
  private long startOffset;
  private long endOffset;
  private boolean back;

  ElectionLoss(SeenLeader before, int newLeaderEpoch, long electedEndOffset, Clock clock) {
    this.oldLeaderId = before.leaderId();
    this.oldLeaderEpoch = before.leaderEpoch();
    this.newLeaderEpoch = newLeaderEpoch;
    this.seenBeforeMs = before.logEndOffset() < 0 ? UNKNOWN : clock.monotonicMs() - before.seenMs();
    this.electedEndOffset = electedEndOffset;
    this.atMs = clock.wallMs();
    this.certainty = State.UNCONFIRMED;
    this.startOffset = electedEndOffset;
    this.endOffset = Math.max(before.logEndOffset(), electedEndOffset);
  }

  /** One that was listed before, of an election in an earlier run of the process. */
  public ElectionLoss(LostTailEntry listed) {
    this.oldLeaderId = listed.ofBroker();
    this.oldLeaderEpoch = listed.lastEpoch();
    this.newLeaderEpoch = listed.leaderEpoch();
    this.seenBeforeMs = listed.seenBeforeMs();
    this.electedEndOffset = listed.startOffset();
    this.atMs = listed.atMs();
    this.certainty = listed.state();
    this.startOffset = listed.startOffset();
    this.endOffset = listed.endOffset();
  }

  /**
   * The old leader asks the new one for records. Its first question tells where its log ends; it
   * truncates, maybe in several steps, until one of its questions does not diverge. If already the
   * first does not, and it had more before, then its log was lost by other means.
   */
  void onFetch(int replicaId, long fetchOffset, @Nullable EpochEnd diverging) {
    if (replicaId != oldLeaderId || certainty != State.UNCONFIRMED) {
      return;
    }
    if (diverging != null) {
      endOffset = back ? endOffset : Math.max(endOffset, fetchOffset);
      back = true;
    } else if (back) {
      certainty = State.EXACT;
      startOffset = Math.min(startOffset, fetchOffset);
    } else {
      certainty = fetchOffset >= endOffset ? State.EXACT : State.GONE;
    }
  }

  /** Exact is what the old leader's own list of lost tails tells in full. */
  public State certainty() {
    return certainty;
  }

  public int oldLeaderId() {
    return oldLeaderId;
  }

  public int newLeaderEpoch() {
    return newLeaderEpoch;
  }

  /** The new leader's log end offset at the election. */
  public long electedEndOffset() {
    return electedEndOffset;
  }

  /** How long before the election the old leader's end was heard of, -1 when it was not. */
  public long seenBeforeMs() {
    return seenBeforeMs;
  }

  /** The first offset that is lost; the end offset when nothing is known to be. */
  public long startOffset() {
    return startOffset;
  }

  /** Exclusive. */
  public long endOffset() {
    return endOffset;
  }

  /** How many offsets are lost: at least so many while unconfirmed. */
  public long offsets() {
    return endOffset - startOffset;
  }

  /** As it is listed by the broker that was elected. */
  public LostTailEntry entry(LogId id) {
    return new LostTailEntry(
        id.topic(),
        id.partition(),
        electedEndOffset + "-" + newLeaderEpoch,
        certainty,
        oldLeaderId,
        oldLeaderEpoch,
        oldLeaderEpoch,
        newLeaderEpoch,
        startOffset,
        endOffset,
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
        0,
        seenBeforeMs,
        atMs);
  }

  @Override
  public String toString() {
    String range = "offsets " + startOffset + " to " + (endOffset - 1) + " of broker ";
    return (certainty == State.EXACT ? range : "at least " + range)
        + oldLeaderId
        + " (leader epoch "
        + oldLeaderEpoch
        + ", seen "
        + seenBeforeMs
        + " ms before leader epoch "
        + newLeaderEpoch
        + ")";
  }
}
