package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogId;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualTimers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InSyncSetTest {
  private static final LogId ID = new LogId("events", 0, new Uuid(1, 2));
  private static final long LAG_MS = 1000;
  private static final int BROKER_EPOCH = 50;

  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final VirtualTimers timers = new VirtualTimers(clock);
  private final Set<Integer> ineligible = new HashSet<>();
  private final List<IsrProposal> proposals = new ArrayList<>();
  private final List<IsrProposals.Reply> replies = new ArrayList<>();
  private final FollowerContacts contacts = new FollowerContacts();
  private boolean answersAtOnce;
  private int changes;
  private InSyncSet isr;

  @BeforeEach
  void leadThreeReplicas() {
    BrokerRegistry brokers =
        new BrokerRegistry() {
          @Override
          public boolean isEligible(int brokerId, long brokerEpoch) {
            return !ineligible.contains(brokerId) && brokerEpoch == BROKER_EPOCH;
          }

          @Override
          public boolean isAlive(int brokerId) {
            return !ineligible.contains(brokerId);
          }

          @Override
          public long ownEpoch() {
            return 49;
          }
        };
    ReplicaContext context =
        new ReplicaContext(
            1,
            new HeldBackground(),
            timers,
            clock,
            (proposal, reply) -> {
              proposals.add(proposal);
              if (answersAtOnce) {
                List<Integer> wanted = proposal.isr().stream().map(IsrMember::brokerId).toList();
                reply.onReply(
                    Errors.NONE, new CommittedIsr(4, proposal.partitionEpoch() + 1, wanted));
              } else {
                replies.add(reply);
              }
            },
            brokers,
            (log, endOffset) -> {},
            new LagRule(LAG_MS, Long.MAX_VALUE),
            contacts,
            0);
    isr = new InSyncSet(ID, context, () -> changes++);
    isr.transitionToEpoch(state(7, List.of(1, 2, 3), List.of(1, 2)), now());
  }

  private static CommittedPartition state(
      int partitionEpoch, List<Integer> replicas, List<Integer> isr) {
    return new CommittedPartition(1, 4, partitionEpoch, replicas, isr);
  }

  private long now() {
    return clock.monotonicMs();
  }

  private void fetch(int follower, long offset, long leaderEnd) {
    ReplicaProgress progress = isr.progressOf(follower);
    progress.onFetch(
        new FollowerFetch(follower, BROKER_EPOCH, 4, offset, 4, 0, 0, 1000, true),
        leaderEnd,
        now());
    isr.maybeAdd(progress, 0, 0, leaderEnd, now());
  }

  private void answer(Errors error, CommittedIsr committed) {
    replies.remove(0).onReply(error, committed);
  }

  private void answer(Errors error) {
    answer(error, null);
  }

  @Test
  void aProposalNamesBothEpochsAndTheRegistrationOfEachMember() {
    fetch(3, 10, 10);
    assertThat(proposals)
        .containsExactly(
            new IsrProposal(
                ID,
                4,
                7,
                List.of(
                    new IsrMember(1, 49), new IsrMember(2, -1), new IsrMember(3, BROKER_EPOCH))));
  }

  @Test
  void whatIsProposedHoldsTheHighWatermarkBeforeItIsCommitted() {
    fetch(2, 10, 10);
    fetch(3, 5, 10);
    assertThat(isr.proposed()).containsExactly(1, 2, 3);
    assertThat(isr.committed()).containsExactly(1, 2);
    assertThat(isr.smallestEnd(10, 10, now())).isEqualTo(5);
  }

  @Test
  void whoIsProposedToLeaveHoldsTheHighWatermarkUntilThatIsCommitted() {
    fetch(2, 5, 10);
    timers.advanceMs(LAG_MS + 1);
    isr.maybeRemoveLaggards(10, now());
    assertThat(proposals.get(0).isr()).extracting(IsrMember::brokerId).containsExactly(1);
    assertThat(isr.smallestEnd(10, 10, now())).isEqualTo(5);

    answer(Errors.NONE, new CommittedIsr(4, 8, List.of(1)));
    assertThat(isr.committed()).containsExactly(1);
    assertThat(isr.partitionEpoch()).isEqualTo(8);
    assertThat(isr.smallestEnd(10, 10, now())).isEqualTo(10);
    assertThat(changes).isEqualTo(1); // KAFKA-13091: whoever computes is told
  }

  @Test
  void oneProposalAtATimeIsOnItsWay() {
    fetch(3, 10, 10);
    timers.advanceMs(LAG_MS + 1);
    isr.maybeRemoveLaggards(20, now());
    fetch(3, 20, 20);
    assertThat(proposals).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"OPERATION_NOT_ATTEMPTED", "INELIGIBLE_REPLICA"})
  void aRefusalTakesTheProposalBackAndTheNextOneWaitsAWhile(Errors error) {
    fetch(3, 5, 10);
    answer(error);
    assertThat(isr.proposed()).isNull();
    assertThat(changes).isEqualTo(1);
    fetch(3, 10, 10);
    assertThat(proposals).hasSize(1);
    timers.advanceMs(InSyncSet.REFUSED_PAUSE_MS);
    fetch(3, 10, 10);
    assertThat(proposals).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "NOT_CONTROLLER",
        "REQUEST_TIMED_OUT",
        "NETWORK_EXCEPTION",
        "STALE_BROKER_EPOCH",
        "UNKNOWN_SERVER_ERROR"
      })
  void anAnswerThatLeavesItOpenIsFollowedByTheSameProposal(Errors error) {
    fetch(3, 5, 10);
    answer(error);
    assertThat(isr.proposed()).containsExactly(1, 2, 3);
    assertThat(isr.smallestEnd(10, 10, now())).isLessThanOrEqualTo(5);
    assertThat(proposals).hasSize(1);
    timers.advanceMs(InSyncSet.RETRY_PAUSE_MS);
    assertThat(proposals).hasSize(2);
    assertThat(proposals.get(1)).isEqualTo(proposals.get(0));
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "INVALID_UPDATE_VERSION",
        "FENCED_LEADER_EPOCH",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "UNKNOWN_TOPIC_ID",
        "INVALID_REQUEST",
        "NEW_LEADER_ELECTED"
      })
  void aControllerThatKnowsOtherwiseIsFollowedByItsMetadata(Errors error) {
    fetch(3, 5, 10);
    answer(error);
    timers.advanceMs(InSyncSet.RETRY_PAUSE_MS);
    assertThat(proposals).hasSize(1);
    assertThat(isr.proposed()).containsExactly(1, 2, 3);

    assertThat(isr.onMetadata(state(9, List.of(1, 2, 3), List.of(1, 2)), now())).isTrue();
    assertThat(isr.proposed()).isNull();
    timers.advanceMs(InSyncSet.METADATA_PAUSE_MS);
    assertThat(proposals).hasSize(1); // the timer of the old one does nothing
  }

  @Test
  void metadataThatNeverComesIsAskedForByTheSameProposal() {
    fetch(3, 10, 10);
    answer(Errors.INVALID_UPDATE_VERSION);
    timers.advanceMs(InSyncSet.METADATA_PAUSE_MS);
    assertThat(proposals).hasSize(2);
  }

  @Test
  void anAnswerAfterNewerMetadataIsOldNews() {
    fetch(3, 10, 10);
    isr.onMetadata(state(8, List.of(1, 2, 3), List.of(1, 2, 3)), now());
    answer(Errors.NONE, new CommittedIsr(4, 8, List.of(1, 2)));
    assertThat(isr.committed()).containsExactly(1, 2, 3);
    assertThat(changes).isZero();
  }

  @Test
  void metadataThatIsNotNewerChangesNothing() {
    fetch(3, 10, 10);
    answer(Errors.NONE, new CommittedIsr(4, 8, List.of(1, 2, 3)));
    assertThat(isr.onMetadata(state(8, List.of(1, 2, 3), List.of(1)), now())).isFalse();
    assertThat(isr.onMetadata(state(7, List.of(1, 2, 3), List.of(1)), now())).isFalse();
    assertThat(isr.committed()).containsExactly(1, 2, 3);
  }

  @Test
  void anAnswerOfAnotherLeaderEpochIsNotTakenOver() {
    fetch(3, 10, 10);
    answer(Errors.NONE, new CommittedIsr(5, 9, List.of(2, 3)));
    assertThat(isr.committed()).containsExactly(1, 2);
    assertThat(isr.proposed()).isNotNull();
  }

  @Test
  void whoIsCaughtUpAtAnIdlePartitionStaysForEver() {
    // KAFKA-7152
    fetch(2, 10, 10);
    timers.advanceMs(100 * LAG_MS);
    isr.maybeRemoveLaggards(10, now());
    assertThat(proposals).isEmpty();
  }

  @Test
  void whoReachesTheEndOfItsLastFetchIsCaughtUpThoughMoreCameMeanwhile() {
    for (long i = 1; i < 20; i++) {
      fetch(2, 10 * (i - 1), 10 * i);
      timers.advanceMs(LAG_MS / 2);
      isr.maybeRemoveLaggards(10 * i + 5, now());
    }
    assertThat(proposals).isEmpty();
    timers.advanceMs(LAG_MS / 2);
    fetch(2, 181, 200); // it fetches, but falls behind
    timers.advanceMs(LAG_MS / 2 + 1);
    isr.maybeRemoveLaggards(200, now());
    assertThat(proposals).hasSize(1);
  }

  @Test
  void theLagClockOfAFollowerStartsWithTheLeader() {
    // apache/fluss#3698
    clock.advanceMs(50 * LAG_MS);
    isr.transitionToEpoch(new CommittedPartition(1, 5, 8, List.of(1, 2, 3), List.of(1, 2)), now());
    timers.advanceMs(LAG_MS);
    isr.maybeRemoveLaggards(10, now());
    assertThat(proposals).isEmpty();
    timers.advanceMs(1);
    isr.maybeRemoveLaggards(10, now());
    assertThat(proposals).hasSize(1);
  }

  @Test
  void whoKeepsUpOutsideTheIsrIsWaitedForAndWhoIsIneligibleIsNot() {
    // KAFKA-15021
    fetch(2, 20, 20);
    ineligible.add(3);
    fetch(3, 20, 20);
    fetch(3, 20, 30); // it kept up until a moment ago
    assertThat(isr.smallestEnd(30, 30, now())).isEqualTo(20);
    fetch(2, 30, 30);
    assertThat(isr.smallestEnd(30, 30, now())).isEqualTo(30);
    ineligible.remove(3);
    assertThat(isr.smallestEnd(30, 30, now())).isEqualTo(20);
    timers.advanceMs(LAG_MS + 1);
    assertThat(isr.smallestEnd(30, 30, now())).isEqualTo(30);
  }

  @Test
  void theMinimumGoesByTheCommittedIsrAndByTheReplicasThereAre() {
    fetch(3, 10, 10);
    assertThat(isr.proposed()).hasSize(3);
    assertThat(isr.isBelowMinimum(3)).isTrue();
    assertThat(isr.isBelowMinimum(2)).isFalse();
    isr.onMetadata(state(8, List.of(1, 2), List.of(1, 2)), now());
    assertThat(isr.isBelowMinimum(3)).isFalse();
  }

  @Test
  void whoIsNoReplicaCountsForNothing() {
    // KAFKA-9672
    isr.onMetadata(state(8, List.of(1, 3), List.of(1, 2, 9)), now());
    assertThat(isr.committed()).containsExactly(1);
    assertThat(isr.progressOf(2)).isNull();
    assertThat(isr.isBelowMinimum(2)).isTrue();
    assertThat(isr.smallestEnd(10, 10, now())).isEqualTo(10);
  }

  @Test
  void aNewEpochKnowsNothingOfItsFollowers() {
    fetch(2, 10, 10);
    isr.transitionToEpoch(
        new CommittedPartition(1, 6, 9, List.of(1, 2, 3), List.of(1, 2, 3)), now());
    assertThat(isr.progressOf(2).endOffset()).isEqualTo(-1);
    assertThat(isr.smallestEnd(10, 10, now())).isEqualTo(-1);
  }

  @Test
  void onlyInSyncFollowersThatHoldTheOffsetAreOfferedToReaders() {
    // KAFKA-14372
    ineligible.add(3);
    fetch(2, 10, 20);
    fetch(3, 20, 20);
    assertThat(isr.holdersOf(10)).containsExactly(2);
    assertThat(isr.holdersOf(11)).isEmpty();
  }

  @Test
  void whoHadAllUntilTheLogGrewIsCaughtUpAsLongAsItsBrokerFetchedAnything() {
    fetch(2, 10, 10);
    timers.advanceMs(50 * LAG_MS);
    contacts.note(2, now());
    timers.advanceMs(LAG_MS);
    isr.onLeaderEnd(10);
    isr.maybeRemoveLaggards(20, now());
    assertThat(proposals).isEmpty();
    contacts.note(2, now()); // it fetches other partitions, and no longer this one
    isr.onLeaderEnd(20);
    timers.advanceMs(1);
    isr.maybeRemoveLaggards(30, now());
    assertThat(proposals).hasSize(1);
  }

  @Test
  void whoWasIneligibleComesInWithoutAnotherFetch() {
    ineligible.add(3);
    fetch(3, 10, 10);
    isr.maybeAddAny(10, 0, 10, now());
    assertThat(proposals).isEmpty();
    ineligible.remove(3);
    isr.maybeAddAny(10, 0, 10, now());
    assertThat(isr.proposed()).containsExactly(1, 2, 3);
  }

  @Test
  void whoLagsDoesNotComeBackWithoutAnotherFetch() {
    fetch(2, 5, 10);
    timers.advanceMs(LAG_MS + 1);
    isr.maybeRemoveLaggards(10, now());
    answer(Errors.NONE, new CommittedIsr(4, 8, List.of(1)));
    isr.maybeAddAny(5, 0, 10, now());
    assertThat(proposals).hasSize(1);
  }

  @Test
  void oneAtATimeComesInWithoutAFetch() {
    ineligible.addAll(List.of(2, 3));
    isr.onMetadata(state(8, List.of(1, 2, 3), List.of(1)), now());
    fetch(2, 10, 10);
    fetch(3, 10, 10);
    ineligible.clear();
    answersAtOnce = true;
    isr.maybeAddAny(10, 0, 10, now());
    assertThat(isr.committed()).containsExactly(1, 2);
    assertThat(proposals).hasSize(1);
  }

  @Test
  void anEndedRoleHearsNothing() {
    fetch(3, 10, 10);
    isr.stop();
    answer(Errors.NONE, new CommittedIsr(4, 8, List.of(1, 2, 3)));
    assertThat(changes).isZero();
  }
}
