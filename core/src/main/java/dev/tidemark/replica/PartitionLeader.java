package dev.tidemark.replica;

import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.AppendResult;
import dev.tidemark.log.ClientBatch;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.LogRead;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader of a partition: appends what clients send, learns from their fetches how far its
 * followers are, knows by that how far the log is committed, and tells those who wait for that.
 *
 * <p>The high watermark is the smallest end over the leader and those it waits for ({@link
 * InSyncSet#smallestEnd}); within a leader epoch it never goes back. It does not move while fewer
 * replicas are in the committed ISR than {@code min.insync.replicas} asks for: what is below it is
 * then on at least so many.
 */
public final class PartitionLeader extends PartitionReplica {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionLeader.class);
  private static final List<Integer> NO_ISR = List.of();

  private final Acknowledgements waitingForCommit = new Acknowledgements();
  private final Acknowledgements waitingForSync = new Acknowledgements();
  private final InSyncSet inSync;
  private final LeaderObservers observers = new LeaderObservers();

  private @Nullable ElectionLoss loss;
  private long epochStartOffset;
  private int minInSyncReplicas;

  /**
   * Leads a partition whose only replica is on this broker: all that survived is committed, once it
   * is as safe as the topic asks. What a process before wrote and did not sync may go with the
   * power.
   */
  public PartitionLeader(PartitionLog log, int leaderEpoch, ReplicaContext context) {
    this(log, alone(leaderEpoch, context), heldEndOffset(log), 1, null, context);
  }

  private static CommittedPartition alone(int leaderEpoch, ReplicaContext context) {
    List<Integer> itself = List.of(context.brokerId());
    return new CommittedPartition(context.brokerId(), leaderEpoch, 0, itself, itself);
  }

  /**
   * Begins to lead.
   *
   * @param committed the metadata that made this broker the leader
   * @param knownHighWatermark what this replica knew as a follower, or the checkpoint's
   * @param minInSyncReplicas {@code min.insync.replicas} of the topic
   * @param before what this replica last heard of the leader before, if it was its follower
   */
  public PartitionLeader(
      PartitionLog log,
      CommittedPartition committed,
      long knownHighWatermark,
      int minInSyncReplicas,
      @Nullable SeenLeader before,
      ReplicaContext context) {
    super(log, committed.leaderEpoch(), knownHighWatermark, context);
    this.minInSyncReplicas = minInSyncReplicas;
    this.inSync = new InSyncSet(log.id(), context, this::onInSyncSetChanged);
    beginEpoch(committed);
    if (before != null && before.leaderEpoch() < committed.leaderEpoch()) {
      loss = new ElectionLoss(before, committed.leaderEpoch(), log.logEndOffset(), context.clock());
    }
    if (syncsBeforeAcknowledging() && log.syncedEndOffset() < log.logEndOffset()) {
      startFlush();
    }
    advanceHighWatermark();
  }

  private void beginEpoch(CommittedPartition committed) {
    setLeaderEpoch(committed.leaderEpoch());
    log().assignEpochStart(committed.leaderEpoch());
    epochStartOffset = log().logEndOffset();
    inSync.transitionToEpoch(committed, context().clock().monotonicMs());
  }

  /**
   * Takes in metadata that leaves this broker the leader: an ISR, other replicas, or a new epoch.
   * What is older than what is known is ignored.
   */
  public void onCommitted(CommittedPartition committed) {
    if (committed.leaderId() != context().brokerId()) {
      throw new IllegalArgumentException(
          log().id() + " is led by another broker now, the role has to end: " + committed);
    }
    if (isStopped() || committed.leaderEpoch() < leaderEpoch()) {
      return;
    }
    if (committed.leaderEpoch() > leaderEpoch()) {
      beginEpoch(committed);
      onInSyncSetChanged();
      observers.onLeadershipChanged(this);
    } else if (inSync.onMetadata(committed, context().clock().monotonicMs())) {
      onInSyncSetChanged();
    }
  }

  /** {@code min.insync.replicas} of the topic is another. */
  public void onMinInSyncReplicas(int newMinimum) {
    minInSyncReplicas = newMinimum;
    onInSyncSetChanged();
  }

  /**
   * Looks for followers that have not kept up, and for those that may join. To be called from time
   * to time, at most half of {@code replica.lag.time.max.ms} apart.
   */
  public void checkInSync() {
    if (!isStopped() && !inSync.isAlone()) {
      inSync.maybeRemoveLaggards(log().logEndOffset(), context().clock().monotonicMs());
      advanceHighWatermark(); // who is outside the ISR may hold it back no longer
      checkJoins();
    }
  }

  /** The registrations of brokers have changed: who was not eligible may be now. */
  public void onBrokersChanged() {
    if (!isStopped()) {
      advanceHighWatermark();
      checkJoins();
      observers.onLowWatermark(this);
    }
  }

  private void checkJoins() {
    if (!inSync.isAlone()) {
      long nowMs = context().clock().monotonicMs();
      inSync.maybeAddAny(highWatermark(), epochStartOffset, log().logEndOffset(), nowMs);
    }
  }

  private void onInSyncSetChanged() {
    advanceHighWatermark();
    checkJoins();
    observers.onLowWatermark(this);
    if (isBelowMinimum()) {
      waitingForCommit.failAll(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    }
  }

  /** What nobody waits for is synced by periodic work, for many partitions may change at once. */
  @Override
  void onSettings() {
    if (!waitingForSync.isEmpty() || !waitingForCommit.isEmpty()) {
      syncIfDue();
    }
    advanceHighWatermark();
  }

  // --- appending ---

  /** True when acks=all is refused: the committed ISR is below {@code min.insync.replicas}. */
  public boolean isBelowMinimum() {
    return inSync.isBelowMinimum(minInSyncReplicas);
  }

  /** True when no member of the committed ISR may leave without acks=all being refused. */
  public boolean isAtMinimum() {
    return inSync.isAtMinimum(minInSyncReplicas);
  }

  /** True when there is no other replica. */
  public boolean isAlone() {
    return inSync.isAlone();
  }

  /** True when a replica is not in the committed ISR. */
  public boolean isUnderReplicated() {
    return inSync.committed().size() < inSync.replicas().size();
  }

  private void requireMinimum() throws RefusedAppend {
    if (isBelowMinimum()) {
      throw new RefusedAppend(
          Errors.NOT_ENOUGH_REPLICAS,
          "The in-sync replicas of "
              + log().id()
              + " are "
              + inSync.committed()
              + ", fewer than min.insync.replicas = "
              + minInSyncReplicas
              + ".");
    }
  }

  /**
   * Appends what stands in {@code records}; offsets and leader epoch are set in place.
   *
   * @throws RefusedAppend if the records are not valid, or come from a coordinator, which always
   *     writes for all, while too few replicas are in sync; nothing was written
   * @throws IOException if the write failed; the log takes no more until it is opened again
   */
  public AppendResult append(ByteBuffer records, AppendOrigin origin)
      throws RefusedAppend, IOException {
    if (origin == AppendOrigin.COORDINATOR) {
      requireMinimum();
    }
    long endBefore = log().logEndOffset();
    return appended(endBefore, log().append(records, leaderEpoch(), origin), records.remaining());
  }

  /**
   * Appends a client's batch that was checked, as {@link #append(ByteBuffer, AppendOrigin)} does.
   */
  public AppendResult append(ClientBatch checked) throws RefusedAppend, IOException {
    long endBefore = log().logEndOffset();
    return appended(endBefore, log().append(checked, leaderEpoch()), checked.sizeInBytes());
  }

  /**
   * Appends a client's checked batch that asks for acks=all.
   *
   * @throws RefusedAppend also with {@link Errors#NOT_ENOUGH_REPLICAS}; nothing was written
   */
  public AppendResult appendForAll(ClientBatch checked) throws RefusedAppend, IOException {
    requireMinimum();
    return append(checked);
  }

  private AppendResult appended(long endBefore, AppendResult result, int bytes) {
    if (!result.duplicate()) {
      inSync.onLeaderEnd(endBefore);
      countAppended(result.lastOffset() - result.baseOffset() + 1, bytes);
    }
    syncIfDue();
    advanceHighWatermark();
    observers.onLogEnd(this);
    return result;
  }

  /**
   * Removes the records below {@code newStartOffset} here, and has followers do so.
   *
   * @throws OffsetOutOfRange if it is above the high watermark
   */
  public void deleteRecordsBelow(long newStartOffset) throws OffsetOutOfRange, IOException {
    long before = log().logStartOffset();
    log().advanceLogStartOffset(newStartOffset, highWatermark());
    if (log().logStartOffset() != before) {
      observers.onLowWatermark(this);
    }
  }

  /**
   * No replica of a living broker has records below it (KIP-107); -1 while one of them has told
   * nothing.
   */
  public long lowWatermark() {
    return inSync.smallestStart(log().logStartOffset());
  }

  /** The end of what is committed and held here; exclusive. */
  public long committedEndOffset() {
    return Math.min(highWatermark(), heldEndOffset());
  }

  /**
   * Calls back, maybe at once, when what lies below {@code endOffsetExclusive} is committed, and
   * synced where the topic asks for it: what acks=all promises. Or with an error as soon as that
   * can no longer be promised.
   */
  public void whenCommitted(long endOffsetExclusive, WaitingAcknowledgement acknowledgement) {
    if (committedEndOffset() < endOffsetExclusive && !isStopped() && isBelowMinimum()) {
      acknowledgement.onAcknowledged(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    } else {
      await(waitingForCommit, committedEndOffset(), endOffsetExclusive, acknowledgement);
    }
  }

  /**
   * Calls back when this replica holds what lies below {@code endOffsetExclusive}: at once, or
   * after a sync where the topic asks for it. What acks=1 promises.
   */
  public void whenHeld(long endOffsetExclusive, WaitingAcknowledgement acknowledgement) {
    await(waitingForSync, heldEndOffset(), endOffsetExclusive, acknowledgement);
  }

  private void await(
      Acknowledgements queue,
      long reached,
      long endOffsetExclusive,
      WaitingAcknowledgement acknowledgement) {
    if (reached >= endOffsetExclusive) {
      acknowledgement.onAcknowledged(Errors.NONE);
    } else if (isStopped()) {
      acknowledgement.onAcknowledged(Errors.NOT_LEADER_OR_FOLLOWER);
    } else if (log().failure() != null) {
      acknowledgement.onAcknowledged(Errors.KAFKA_STORAGE_ERROR); // no sync will come
    } else {
      queue.add(endOffsetExclusive, acknowledgement);
    }
  }

  private void failWaiting(Errors error) {
    waitingForSync.failAll(error);
    waitingForCommit.failAll(error);
  }

  @Override
  void onSynced() {
    advanceHighWatermark();
  }

  @Override
  void onSyncFailed() {
    failWaiting(Errors.KAFKA_STORAGE_ERROR);
  }

  @Override
  void onStopped() {
    inSync.stop();
    failWaiting(Errors.NOT_LEADER_OR_FOLLOWER);
    observers.onLeadershipChanged(this);
  }

  private void advanceHighWatermark() {
    long held = heldEndOffset();
    waitingForSync.reached(held);
    long end = isBelowMinimum() ? highWatermark() : smallestEnd(held);
    boolean moves = end > highWatermark();
    if (moves) {
      setHighWatermark(end);
    }
    waitingForCommit.reached(committedEndOffset());
    if (moves) {
      tellListeners();
      observers.onHighWatermark(this);
    }
  }

  private long smallestEnd(long held) {
    return inSync.isAlone()
        ? held
        : inSync.smallestEnd(held, log().logEndOffset(), context().clock().monotonicMs());
  }

  // --- answering ---

  /** Tells {@code observer} what happens here, until {@link #removeObserver}. */
  public void addObserver(LeaderObserver observer) {
    observers.add(observer);
  }

  /** Tells it no more; without effect if it is told nothing. */
  public void removeObserver(LeaderObserver observer) {
    observers.remove(observer);
  }

  /** How many are told. */
  public int observers() {
    return observers.count();
  }

  /**
   * Answers a follower, and learns from its question how far it is.
   *
   * @throws IOException if the records cannot be read
   */
  public FollowerAnswer fetch(FollowerFetch fetch) throws IOException {
    note(fetch);
    return read(fetch);
  }

  /**
   * Learns from a follower's question how far it is. A question that is refused or that diverges
   * teaches nothing (KAFKA-13141).
   */
  public void note(FollowerFetch fetch) {
    ReplicaProgress follower = inSync.progressOf(fetch.replicaId());
    if (follower == null || refusal(fetch) != Errors.NONE) {
      return;
    }
    try {
      EpochEnd diverging = Divergence.of(log(), fetch.fetchOffset(), fetch.lastFetchedEpoch());
      if (loss != null) {
        loss.onFetch(fetch.replicaId(), fetch.fetchOffset(), diverging);
      }
      if (diverging == null) {
        onFollowerAt(follower, fetch);
      }
    } catch (OffsetOutOfRange e) {
      // Reading for it tells so.
    }
  }

  /**
   * Answers a follower whose question is known: as often as there is news while it waits.
   *
   * @throws IOException if the records cannot be read
   */
  public FollowerAnswer read(FollowerFetch fetch) throws IOException {
    Errors refused = refusal(fetch);
    if (refused != Errors.NONE) {
      return FollowerAnswer.refused(refused);
    }
    try {
      EpochEnd diverging = Divergence.of(log(), fetch.fetchOffset(), fetch.lastFetchedEpoch());
      if (diverging != null) {
        return answer(diverging, null);
      }
      long end = log().logEndOffset();
      return answer(
          null, log().read(fetch.fetchOffset(), fetch.maxBytes(), fetch.atLeastOneBatch(), end));
    } catch (OffsetOutOfRange e) {
      return FollowerAnswer.refused(Errors.OFFSET_OUT_OF_RANGE);
    }
  }

  private Errors refusal(FollowerFetch fetch) {
    Errors wrongEpoch = checkEpoch(fetch.leaderEpoch());
    if (wrongEpoch != Errors.NONE) {
      return wrongEpoch;
    }
    ReplicaProgress follower = inSync.progressOf(fetch.replicaId());
    if (follower == null) {
      // It was told so by newer metadata than has come here: it shall ask again.
      return Errors.UNKNOWN_LEADER_EPOCH;
    }
    if (fetch.brokerEpoch() < follower.brokerEpoch()) {
      LOG.info("[Partition {}] A fetch of an earlier life is refused: {}", log().id(), fetch);
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    return Errors.NONE;
  }

  private void onFollowerAt(ReplicaProgress follower, FollowerFetch fetch) {
    long nowMs = context().clock().monotonicMs();
    long end = log().logEndOffset();
    context().contacts().note(fetch.replicaId(), nowMs);
    long startBefore = follower.logStartOffset();
    follower.onFetch(fetch, end, nowMs);
    inSync.maybeAdd(follower, highWatermark(), epochStartOffset, end, nowMs);
    advanceHighWatermark();
    if (follower.logStartOffset() != startBefore) {
      observers.onLowWatermark(this);
    }
  }

  private FollowerAnswer answer(@Nullable EpochEnd diverging, @Nullable LogRead read) {
    return new FollowerAnswer(
        Errors.NONE,
        highWatermark(),
        log().logStartOffset(),
        log().logEndOffset(),
        diverging,
        read);
  }

  @Override
  Errors beyondEnd() {
    return Errors.OFFSET_OUT_OF_RANGE;
  }

  /**
   * Whether the end of what is readable may be told (KIP-207): a new leader's high watermark may be
   * behind what readers were told before, until it has reached the start of its epoch.
   */
  public Errors checkLatestOffset() {
    return highWatermark() < epochStartOffset ? Errors.OFFSET_NOT_AVAILABLE : Errors.NONE;
  }

  /** In-sync followers from which a consumer could read at {@code offset} (KIP-392). */
  public List<Integer> readReplicas(long offset) {
    return inSync.holdersOf(offset);
  }

  // --- what there is to tell ---

  /** The ISR that the controller has committed, as far as is known here. */
  public List<Integer> inSyncReplicas() {
    return inSync.committed();
  }

  /** The ISR that was proposed to the controller and not answered; empty when there is none. */
  public List<Integer> proposedInSyncReplicas() {
    List<Integer> proposed = inSync.proposed();
    return proposed == null ? NO_ISR : proposed;
  }

  public int partitionEpoch() {
    return inSync.partitionEpoch();
  }

  /** The first offset of this leader's epoch. */
  public long epochStartOffset() {
    return epochStartOffset;
  }

  /** How far a follower is: its log end offset, -1 when it has not fetched or is none. */
  public long followerEndOffset(int brokerId) {
    ReplicaProgress progress = inSync.progressOf(brokerId);
    return progress == null ? ReplicaProgress.UNKNOWN : progress.endOffset();
  }

  /** What this leader's election cost; null when nothing was known of the leader before. */
  public @Nullable ElectionLoss electionLoss() {
    return loss;
  }
}
