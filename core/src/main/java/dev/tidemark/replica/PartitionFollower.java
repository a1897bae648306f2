package dev.tidemark.replica;

import dev.tidemark.log.AppendResult;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A follower of a partition: makes its log the leader's. It asks from the end of its own log and
 * names the epoch of its last record; the leader either sends what follows or tells where that
 * epoch ends there, and the follower cuts its log by that. Nothing else is ever a reason to cut,
 * the own high watermark least of all (KIP-101): what the leader did not disprove may be
 * acknowledged.
 *
 * <p>It sends nothing: whoever owns it asks {@link #step()} what it needs, and hands the answers
 * over together with the position that they answer.
 */
public final class PartitionFollower extends PartitionReplica {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionFollower.class);
  private static final long UNKNOWN = -1;

  private final LostTails lostTails;
  private int leaderId;
  private long leaderHighWatermark = UNKNOWN;
  private @Nullable SeenLeader seen;
  private @Nullable SeenLeader named;
  private FollowerStep need;
  private Runnable attention = () -> {};

  /** An answer of this leader epoch has shown that what is here is the leader's. */
  private boolean compared;

  /**
   * Begins to follow.
   *
   * @param leaderId whom the metadata names, -1 for nobody
   * @param knownHighWatermark what this replica knew in the role before, or the checkpoint's
   */
  public PartitionFollower(
      PartitionLog log,
      int leaderId,
      int leaderEpoch,
      long knownHighWatermark,
      ReplicaContext context) {
    super(log, leaderEpoch, knownHighWatermark, context);
    this.leaderId = leaderId;
    this.need = needWith(leaderId);
    this.lostTails = new LostTails(log, context.lostTailMaxBytes());
    nameLeader();
    syncRest();
  }

  private static FollowerStep needWith(int leader) {
    return leader < 0 ? FollowerStep.AWAIT_METADATA : FollowerStep.FETCH;
  }

  /** What is in the log and not synced counts for nothing on a topic that syncs. */
  private void syncRest() {
    if (syncsBeforeAcknowledging() && log().syncedEndOffset() < log().logEndOffset()) {
      startFlush();
    }
  }

  /** What they ask to be synced is. */
  @Override
  void onSettings() {
    syncRest();
    attention.run();
  }

  /** Follows another leader, or the same one in a newer epoch; older news is ignored. */
  public void onLeader(int newLeaderId, int newLeaderEpoch) {
    if (newLeaderEpoch > leaderEpoch() && !isStopped()) {
      setLeaderEpoch(newLeaderEpoch);
      leaderId = newLeaderId;
      leaderHighWatermark = UNKNOWN;
      compared = false;
      need = needWith(newLeaderId);
      nameLeader();
      attention.run();
    }
  }

  private void nameLeader() {
    if (leaderId >= 0) {
      named = new SeenLeader(leaderId, leaderEpoch(), UNKNOWN, context().clock().monotonicMs());
    }
  }

  public int leaderId() {
    return leaderId;
  }

  /** What was last heard of a leader's log end; null when nothing was. */
  public @Nullable SeenLeader seenLeader() {
    return seen;
  }

  /**
   * The last leader that the metadata named, and what was heard of its log in that epoch, if
   * anything was; null when they named none.
   */
  @Nullable SeenLeader leaderBefore() {
    boolean heard = seen != null && named != null && seen.leaderEpoch() == named.leaderEpoch();
    return heard ? seen : named;
  }

  /** What truncations have removed from this log. */
  public LostTails lostTails() {
    return lostTails;
  }

  /** Whom to call when {@link #step} has changed other than by a call that returned it. */
  public void onAttention(Runnable listener) {
    attention = listener;
  }

  // --- asking ---

  /** What it needs now. */
  public FollowerStep step() {
    if (isStopped() || log().failure() != null) {
      return FollowerStep.NONE;
    }
    if (need == FollowerStep.FETCH && heldEndOffset() < log().logEndOffset()) {
      return FollowerStep.AWAIT_SYNC;
    }
    return need;
  }

  /** From where to ask, and in which state; not while it awaits a sync. */
  public FetchPosition position() {
    if (step() == FollowerStep.AWAIT_SYNC) {
      throw new IllegalStateException(
          log().id() + " is synced up to " + heldEndOffset() + " only, which is no end to tell");
    }
    return new FetchPosition(
        leaderId,
        leaderEpoch(),
        log().logEndOffset(),
        log().latestEpoch(),
        log().logStartOffset(),
        highWatermark());
  }

  private boolean isCurrent(FetchPosition asked) {
    return !isStopped()
        && asked.leaderEpoch() == leaderEpoch()
        && asked.leaderId() == leaderId
        && asked.fetchOffset() == log().logEndOffset()
        && asked.lastFetchedEpoch() == log().latestEpoch();
  }

  // --- hearing ---

  /**
   * Takes in the answer to a fetch from {@code asked}. One to a question of another epoch or place
   * is ignored: it is old news (KAFKA-7786, KAFKA-13207).
   *
   * @return what is needed next
   * @throws IOException when the disk failed; the log takes no more appends
   */
  public FollowerStep onAnswer(FetchPosition asked, LeaderAnswer answer) throws IOException {
    if (!isCurrent(asked) || need != FollowerStep.FETCH) {
      return step();
    }
    if (answer.error() != Errors.NONE) {
      return onError(answer.error());
    }
    noteLeaderEnd(answer.logEndOffset());
    EpochEnd diverging = answer.diverging();
    return diverging != null ? onDiverging(asked, diverging) : onRecords(answer);
  }

  private FollowerStep onError(Errors error) {
    switch (error) {
      case OFFSET_OUT_OF_RANGE -> need = FollowerStep.ASK_OFFSETS;
      case FENCED_LEADER_EPOCH -> need = FollowerStep.AWAIT_METADATA;
      // The leader does not know yet what this follower knows, or is gone: both pass.
      default -> {
        return FollowerStep.BACK_OFF;
      }
    }
    return step();
  }

  private void noteLeaderEnd(long logEndOffset) {
    if (logEndOffset >= 0) {
      long nowMs = context().clock().monotonicMs();
      seen = new SeenLeader(leaderId, leaderEpoch(), logEndOffset, nowMs);
    }
  }

  private FollowerStep onRecords(LeaderAnswer answer) throws IOException {
    if (!compared) {
      dropWhatCannotBeCompared(answer.logStartOffset());
      compared = true;
    }
    ByteBuffer records = answer.records();
    if (records != null && records.hasRemaining()) {
      beginAnewIfAllIsBelow(answer.logStartOffset(), records);
      if (!append(records)) {
        return log().failure() == null ? FollowerStep.BACK_OFF : step();
      }
    }
    leaderHighWatermark = answer.highWatermark();
    advanceHighWatermark();
    advanceLogStart(answer.logStartOffset());
    return step();
  }

  /**
   * A leader knows no epochs below its log start (DeleteRecords). Whether a log that ends there was
   * once the same nobody can tell, so nothing of it may come back, as it would when a crash takes
   * its own log start back.
   */
  private void dropWhatCannotBeCompared(long leaderStartOffset) throws IOException {
    if (log().logEndOffset() == leaderStartOffset && log().sizeInBytes() > 0) {
      beginAnewAt(leaderStartOffset);
    }
  }

  /**
   * The leader's log start may lie inside a batch (DeleteRecords), of which this log cannot take
   * only the upper part. If all that is here lies below that start nothing of it counts, and an
   * empty log takes the batch whole (KAFKA-6975).
   */
  private void beginAnewIfAllIsBelow(long leaderStartOffset, ByteBuffer records)
      throws IOException {
    long end = log().logEndOffset();
    if (end == leaderStartOffset
        && log().logStartOffset() < end
        && records.remaining() >= Long.BYTES
        && records.getLong(records.position()) < end) {
      beginAnewAt(end);
    }
  }

  private boolean append(ByteBuffer records) throws IOException {
    int bytes = records.remaining();
    try {
      AppendResult result = log().appendReplicated(records);
      if (result.lastOffset() >= 0) {
        countAppended(result.lastOffset() - result.baseOffset() + 1, bytes);
      }
      syncIfDue();
      return true;
    } catch (RefusedAppend e) {
      LOG.error("[Partition {}] Broker {}: {}", log().id(), leaderId, e.getMessage());
      return false;
    }
  }

  private void advanceLogStart(long leaderStartOffset) throws IOException {
    long start = Math.min(leaderStartOffset, highWatermark());
    if (start > log().logStartOffset()) {
      try {
        log().advanceLogStartOffset(start, highWatermark());
      } catch (OffsetOutOfRange e) {
        throw new IllegalStateException(start + " is at most " + highWatermark(), e);
      }
    }
  }

  /**
   * Behind the leader's by the way of one answer, and never beyond what is here. A new leader's may
   * be behind what this replica knows to be committed: that takes nothing back, only a truncation
   * does.
   */
  private void advanceHighWatermark() {
    long offset = Math.max(log().logStartOffset(), Math.min(heldEndOffset(), leaderHighWatermark));
    if (offset > highWatermark()) {
      setHighWatermark(offset);
      tellListeners();
    }
  }

  @Override
  void onSynced() {
    advanceHighWatermark();
    if (syncsBeforeAcknowledging()) {
      attention.run();
    }
  }

  // --- cutting ---

  private FollowerStep onDiverging(FetchPosition asked, EpochEnd leaders) throws IOException {
    if (leaders.isUndefined() || leaders.endOffsetExclusive() < 0) {
      LOG.warn("[Partition {}] Broker {} tells no epoch at all", log().id(), leaderId);
      return FollowerStep.BACK_OFF; // not knowing is no divergence (KAFKA-9840)
    }
    truncate(Divergence.truncationOffset(log(), leaders));
    if (isCurrent(asked)) {
      LOG.error(
          "[Partition {}] Broker {} tells that its log parts at {}, which leaves {} as it is",
          log().id(),
          leaderId,
          leaders,
          asked);
      return FollowerStep.BACK_OFF;
    }
    return step();
  }

  private void truncate(long offset) throws IOException {
    long knownBefore = highWatermark();
    if (offset < knownBefore) {
      LOG.warn(
          "[Partition {}] Truncating to {} below the high watermark {}: the leader of epoch {} does"
              + " not have what was committed before",
          log().id(),
          offset,
          knownBefore,
          leaderEpoch());
    }
    lostTails.keep(offset, leaderEpoch(), knownBefore, context().clock().wallMs());
    context().checkpoints().lower(log(), offset);
    log().truncateTo(offset);
    onShorter();
  }

  private void beginAnewAt(long leaderStartOffset) throws IOException {
    LOG.info(
        "[Partition {}] Ends at {}, the leader starts at {}: begins anew there",
        log().id(),
        log().logEndOffset(),
        leaderStartOffset);
    context().checkpoints().lower(log(), 0); // for a moment there is nothing
    log().truncateFullyAndStartAt(leaderStartOffset);
    onShorter();
  }

  private void onShorter() {
    setHighWatermark(withinLog(highWatermark()));
    deleteRemovedFiles();
    syncRest();
  }

  /**
   * Takes in where the leader's log starts and ends, after {@link FollowerStep#ASK_OFFSETS}. A log
   * that ends before the leader's start has nothing that counts and begins there; one that ends
   * after the leader's end is cut to it, which happens when neither knows epochs.
   */
  public FollowerStep onLeaderOffsets(FetchPosition asked, long startOffset, long endOffset)
      throws IOException {
    if (!isCurrent(asked) || need != FollowerStep.ASK_OFFSETS) {
      return step();
    }
    need = FollowerStep.FETCH;
    if (log().logEndOffset() < startOffset) {
      beginAnewAt(startOffset);
    } else if (endOffset < log().logEndOffset()) {
      truncate(endOffset);
    } else {
      return FollowerStep.BACK_OFF; // it is inside by now; if not, this must not become a storm
    }
    return step();
  }

  /** The leader's offsets could not be learned: fetch again, after a while. */
  public void onNoLeaderOffsets(FetchPosition asked) {
    if (isCurrent(asked) && need == FollowerStep.ASK_OFFSETS) {
      need = FollowerStep.FETCH;
    }
  }

  @Override
  void onSyncFailed() {
    attention.run();
  }

  @Override
  void onStopped() {
    need = FollowerStep.NONE;
  }

  /** The leader may have more: the consumer shall ask again, not reset its position (KIP-392). */
  @Override
  Errors beyondEnd() {
    return Errors.OFFSET_NOT_AVAILABLE;
  }
}
