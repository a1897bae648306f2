package dev.tidemark.replica;

import dev.tidemark.log.LogId;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The in-sync replicas of a partition, as its leader sees them: the committed ISR, and at most one
 * proposal on its way to the controller.
 *
 * <p>While a proposal is on its way nobody here knows which of the two holds. So the high watermark
 * goes by the <b>maximal ISR</b>, all that are in either of them, and the floor of
 * min.insync.replicas by the committed one: each question gets the answer that is safe in both
 * worlds (KIP-497).
 *
 * <p>Transitions: committed → proposed by {@link #maybeAdd} and {@link #maybeRemoveLaggards};
 * proposed → committed by the controller's answer, by newer metadata, or when the controller says
 * that it will never be.
 */
final class InSyncSet {
  private static final Logger LOG = LoggerFactory.getLogger(InSyncSet.class);
  private static final ReplicaProgress[] NO_FOLLOWERS = {};

  /** After an answer that leaves open what happened, the same proposal goes out again. */
  static final long RETRY_PAUSE_MS = 100;

  /**
   * As long as newer metadata is awaited; if it has not come by then the same proposal asks again.
   */
  static final long METADATA_PAUSE_MS = 5_000;

  /** After a refusal of a new member its next fetches propose nothing. */
  static final long REFUSED_PAUSE_MS = 500;

  /** Hears that the committed or the maximal ISR is another. */
  @FunctionalInterface
  interface Owner {
    void onInSyncSetChanged();
  }

  private final LogId id;
  private final ReplicaContext context;
  private final Owner owner;
  private int leaderEpoch;
  private int partitionEpoch;
  private List<Integer> replicas = List.of();
  private List<Integer> committed = List.of();
  private ReplicaProgress[] followers = NO_FOLLOWERS;
  private @Nullable List<Integer> proposed;

  /** Which proposal an answer or a timer is about: each new one and each end counts. */
  private long proposalNumber;

  private long refusedUntilMs = Long.MIN_VALUE;

  InSyncSet(LogId id, ReplicaContext context, Owner owner) {
    this.id = id;
    this.context = context;
    this.owner = owner;
  }

  /** A new leader epoch begins: of the followers nothing is known. */
  void transitionToEpoch(CommittedPartition state, long nowMs) {
    leaderEpoch = state.leaderEpoch();
    followers = NO_FOLLOWERS;
    refusedUntilMs = Long.MIN_VALUE;
    transitionToCommitted(state, nowMs);
  }

  /** Takes in newer metadata of this leader epoch; false when it is not newer. */
  boolean onMetadata(CommittedPartition state, long nowMs) {
    if (state.partitionEpoch() <= partitionEpoch) {
      return false;
    }
    transitionToCommitted(state, nowMs);
    return true;
  }

  /** The role has ended: answers that are still to come mean nothing. */
  void stop() {
    proposed = null;
    proposalNumber++;
  }

  private void transitionToCommitted(CommittedPartition state, long nowMs) {
    partitionEpoch = state.partitionEpoch();
    replicas = state.replicas();
    committed = realOnes(state.isr());
    proposed = null;
    proposalNumber++;
    followers = followersOf(nowMs);
    markMaximal();
  }

  /** During a reassignment an ISR may name who is no replica any more (KAFKA-9672). */
  private List<Integer> realOnes(List<Integer> isr) {
    return replicas.containsAll(isr) ? isr : isr.stream().filter(replicas::contains).toList();
  }

  private ReplicaProgress[] followersOf(long nowMs) {
    List<ReplicaProgress> all = new ArrayList<>(replicas.size());
    for (int replica : replicas) {
      if (replica != context.brokerId()) {
        ReplicaProgress known = progressOf(replica);
        all.add(
            known != null
                ? known
                : new ReplicaProgress(replica, committed.contains(replica), nowMs));
      }
    }
    return all.isEmpty() ? NO_FOLLOWERS : all.toArray(NO_FOLLOWERS);
  }

  private void markMaximal() {
    for (ReplicaProgress follower : followers) {
      int broker = follower.brokerId();
      follower.setInMaximalIsr(
          committed.contains(broker) || (proposed != null && proposed.contains(broker)));
    }
  }

  // --- questions ---

  int partitionEpoch() {
    return partitionEpoch;
  }

  List<Integer> committed() {
    return committed;
  }

  /** The ISR that is on its way to the controller, or null. */
  @Nullable List<Integer> proposed() {
    return proposed;
  }

  List<Integer> replicas() {
    return replicas;
  }

  boolean isAlone() {
    return followers.length == 0;
  }

  /** What is known of a follower; null for the leader itself and for who is no replica. */
  @Nullable ReplicaProgress progressOf(int brokerId) {
    for (ReplicaProgress follower : followers) {
      if (follower.brokerId() == brokerId) {
        return follower;
      }
    }
    return null;
  }

  /** True when fewer are in sync than min.insync.replicas asks for, of those there are at all. */
  boolean isBelowMinimum(int minInSyncReplicas) {
    return committed.size() < Math.min(minInSyncReplicas, replicas.size());
  }

  /** True when exactly as many are in sync as min.insync.replicas asks for. */
  boolean isAtMinimum(int minInSyncReplicas) {
    return committed.size() == Math.min(minInSyncReplicas, replicas.size());
  }

  /**
   * How far all have it on whom the high watermark waits: the maximal ISR, and who is outside it
   * but keeps up and may come in any moment, so that it need not chase the high watermark.
   *
   * @param ownEndOffset of what the leader itself holds for good
   * @param leaderEndOffset the leader's log end offset, which followers are measured by
   */
  long smallestEnd(long ownEndOffset, long leaderEndOffset, long nowMs) {
    long smallest = ownEndOffset;
    for (ReplicaProgress follower : followers) {
      if (follower.endOffset() < smallest && isWaitedFor(follower, leaderEndOffset, nowMs)) {
        smallest = follower.endOffset();
      }
    }
    return smallest;
  }

  /**
   * The smallest log start offset of the leader and its followers on living brokers; -1 while one
   * of them has not told its own.
   */
  long smallestStart(long ownStartOffset) {
    long smallest = ownStartOffset;
    for (ReplicaProgress follower : followers) {
      if (follower.logStartOffset() < smallest && context.brokers().isAlive(follower.brokerId())) {
        smallest = follower.logStartOffset();
      }
    }
    return smallest;
  }

  private boolean isWaitedFor(ReplicaProgress follower, long leaderEndOffset, long nowMs) {
    return follower.isInMaximalIsr()
        || (follower.isCaughtUp(leaderEndOffset, context.lag(), nowMs) && isEligible(follower));
  }

  private boolean isEligible(ReplicaProgress follower) {
    return follower.brokerEpoch() != ReplicaProgress.UNKNOWN
        && context.brokers().isEligible(follower.brokerId(), follower.brokerEpoch());
  }

  /** In-sync followers that hold {@code offset}, in the order of the ISR (KIP-392). */
  List<Integer> holdersOf(long offset) {
    return committed.stream()
        .filter(
            broker -> {
              ReplicaProgress progress = progressOf(broker);
              return progress != null
                  && progress.endOffset() >= offset
                  && progress.logStartOffset() <= offset;
            })
        .toList();
  }

  // --- changes ---

  /**
   * Proposes a follower, if it may come in: it has reached the high watermark and the start of the
   * leader's epoch, and its broker is unfenced with the registration under which it fetched.
   */
  void maybeAdd(
      ReplicaProgress follower,
      long highWatermark,
      long epochStartOffset,
      long leaderEndOffset,
      long nowMs) {
    if (proposed == null
        && !follower.isInMaximalIsr()
        && nowMs >= refusedUntilMs
        && follower.endOffset() >= Math.max(highWatermark, epochStartOffset)
        && leaderEndOffset - follower.endOffset() <= context.lag().offsetsMax()
        && isEligible(follower)) {
      List<Integer> wanted = new ArrayList<>(committed);
      wanted.add(follower.brokerId());
      LOG.info(
          "[Partition {}] Proposing ISR {} instead of {}: {} has caught up",
          id,
          wanted,
          committed,
          follower);
      transitionToProposed(wanted);
    }
  }

  /**
   * As {@link #maybeAdd} for the first that may come in without another fetch, because it is caught
   * up all the while: what stood in its way is gone. One that lags would come and go in turns.
   */
  void maybeAddAny(long highWatermark, long epochStartOffset, long leaderEndOffset, long nowMs) {
    long before = proposalNumber;
    for (ReplicaProgress follower : followers) {
      if (proposalNumber != before) {
        return; // the answer may have come already, and moved the high watermark
      }
      if (follower.isCaughtUp(leaderEndOffset, context.lag(), nowMs)) {
        maybeAdd(follower, highWatermark, epochStartOffset, leaderEndOffset, nowMs);
      }
    }
  }

  /** The leader's log was this long and is longer now. */
  void onLeaderEnd(long endOffsetBefore) {
    for (ReplicaProgress follower : followers) {
      follower.onLeaderEnd(endOffsetBefore, context.contacts().lastFetchMs(follower.brokerId()));
    }
  }

  /** Proposes to take out those that have not kept up for the lag time. */
  void maybeRemoveLaggards(long leaderEndOffset, long nowMs) {
    if (proposed != null) {
      return;
    }
    List<Integer> wanted = new ArrayList<>(committed);
    StringBuilder laggards = new StringBuilder();
    for (ReplicaProgress follower : followers) {
      if (follower.isInMaximalIsr()
          && !follower.isCaughtUp(leaderEndOffset, context.lag(), nowMs)) {
        wanted.remove(Integer.valueOf(follower.brokerId()));
        laggards.append(laggards.isEmpty() ? "" : ", ").append(follower);
      }
    }
    if (wanted.size() < committed.size()) {
      LOG.info(
          "[Partition {}] Proposing ISR {} instead of {}: behind {} for too long: {}",
          id,
          wanted,
          committed,
          leaderEndOffset,
          laggards);
      transitionToProposed(wanted);
    }
  }

  private void transitionToProposed(List<Integer> wanted) {
    proposed = List.copyOf(wanted);
    markMaximal();
    send(++proposalNumber);
  }

  private void send(long number) {
    if (number != proposalNumber || proposed == null) {
      return;
    }
    context
        .proposals()
        .propose(
            new IsrProposal(id, leaderEpoch, partitionEpoch, members(proposed)),
            (error, state) -> onReply(number, error, state));
  }

  private List<IsrMember> members(List<Integer> isr) {
    List<IsrMember> members = new ArrayList<>(isr.size());
    for (int broker : isr) {
      ReplicaProgress progress = progressOf(broker);
      members.add(
          new IsrMember(
              broker, progress == null ? context.brokers().ownEpoch() : progress.brokerEpoch()));
    }
    return members;
  }

  private void onReply(long number, Errors error, @Nullable CommittedIsr state) {
    if (number != proposalNumber || proposed == null) {
      return; // newer metadata came first
    }
    switch (IsrVerdict.of(error)) {
      case COMMITTED -> onAccepted(number, state);
      case ABANDON -> {
        LOG.info("[Partition {}] ISR {} was refused: {}", id, proposed, error);
        refusedUntilMs = context.clock().monotonicMs() + REFUSED_PAUSE_MS;
        transitionToCommittedAgain();
      }
      case RETRY -> context.timers().schedule(RETRY_PAUSE_MS, () -> send(number));
      case AWAIT_METADATA -> awaitMetadata(number, error);
    }
  }

  private void onAccepted(long number, @Nullable CommittedIsr state) {
    if (state == null
        || state.leaderEpoch() != leaderEpoch
        || state.partitionEpoch() < partitionEpoch) {
      awaitMetadata(number, Errors.NONE);
      return;
    }
    LOG.info(
        "[Partition {}] ISR updated to {} and version updated to {}",
        id,
        state.isr(),
        state.partitionEpoch());
    partitionEpoch = state.partitionEpoch();
    committed = realOnes(state.isr());
    transitionToCommittedAgain();
  }

  private void awaitMetadata(long number, Errors error) {
    LOG.info(
        "[Partition {}] ISR {} waits for newer metadata than partition epoch {}: {}",
        id,
        proposed,
        partitionEpoch,
        error);
    context.timers().schedule(METADATA_PAUSE_MS, () -> send(number));
  }

  private void transitionToCommittedAgain() {
    proposed = null;
    proposalNumber++;
    markMaximal();
    owner.onInSyncSetChanged();
  }
}
