package dev.tidemark.replica;

import dev.tidemark.log.EpochEnd;
import org.jspecify.annotations.Nullable;

/**
 * What an election costs, as far as the new leader knows: how much of the old leader's log is not
 * in its own. From the election on it is what the old leader was last heard to have ("at least",
 * unconfirmed); it becomes exact when the old leader comes back and truncates. One that never comes
 * back stays unconfirmed.
 */
public final class ElectionLoss {
  /** How sure it is. */
  public enum Certainty {
    /** The old leader has not come back. */
    UNCONFIRMED,
    /** The old leader has come back and truncated. */
    EXACT
  }

  private final SeenLeader before;
  private final int newLeaderEpoch;
  private final long seenBeforeMs;
  private final long electedEndOffset;
  private Certainty certainty = Certainty.UNCONFIRMED;
  private long startOffset;
  private long endOffset;
  private boolean back;

  ElectionLoss(SeenLeader before, int newLeaderEpoch, long electedEndOffset, long nowMs) {
    this.before = before;
    this.newLeaderEpoch = newLeaderEpoch;
    this.seenBeforeMs = nowMs - before.seenMs();
    this.electedEndOffset = electedEndOffset;
    this.startOffset = electedEndOffset;
    this.endOffset = Math.max(before.logEndOffset(), electedEndOffset);
  }

  /**
   * The old leader asks the new one for records. Its first question tells where its log ends; it
   * truncates, maybe in several steps, until one of its questions does not diverge.
   */
  void onFetch(int replicaId, long fetchOffset, @Nullable EpochEnd diverging) {
    if (replicaId != before.leaderId() || certainty == Certainty.EXACT) {
      return;
    }
    if (!back) {
      back = true;
      endOffset = Math.max(endOffset, fetchOffset);
    }
    if (diverging == null) {
      certainty = Certainty.EXACT;
      startOffset = Math.min(startOffset, fetchOffset);
    }
  }

  public Certainty certainty() {
    return certainty;
  }

  public int oldLeaderId() {
    return before.leaderId();
  }

  public int oldLeaderEpoch() {
    return before.leaderEpoch();
  }

  public int newLeaderEpoch() {
    return newLeaderEpoch;
  }

  /** The new leader's log end offset at the election. */
  public long electedEndOffset() {
    return electedEndOffset;
  }

  /** How long before the election the old leader's end was heard of. */
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

  @Override
  public String toString() {
    String range = "offsets " + startOffset + " to " + (endOffset - 1) + " of broker ";
    return (certainty == Certainty.EXACT ? range : "at least " + range)
        + before.leaderId()
        + " (leader epoch "
        + before.leaderEpoch()
        + ", seen "
        + seenBeforeMs
        + " ms before leader epoch "
        + newLeaderEpoch
        + ")";
  }
}
