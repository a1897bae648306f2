package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.log.AbortedTxn;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.RefusedAppend;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** A leader with followers. */
class ReplicatedLeaderTest {
  private static final boolean ALL = true;
  private static final boolean LEADER = false;
  private static final long LAG_MS = LagRule.defaults().timeMaxMs();
  private static final int EVERYTHING = 1 << 20;

  private static FollowerFetch fetchBy(ReplicaCluster cluster, int follower, long offset) {
    return new FollowerFetch(
        follower, cluster.node(follower).ownEpoch, 0, offset, 0, 0, 0, EVERYTHING, true);
  }

  @Test
  void theHighWatermarkStandsWhileTheCommittedIsrIsBelowTheMinimum() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(3, 2).start();
    cluster.fence(2);
    cluster.fence(3);
    Produced alone = cluster.produce(1, LEADER, "acknowledged but not readable");
    assertThat(alone.isAcknowledged()).isTrue();
    assertThat(cluster.highWatermark(1)).isZero();

    cluster.controller.setFenced(2, false);
    cluster.tellAll();
    cluster.catchUp();
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
  }

  @Test
  void theMinimumCountsTheCommittedIsrNotTheProposedOne() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    cluster.fence(2);
    cluster.controller.setFenced(2, false);
    cluster.tellAll();
    cluster.controller.holdsProposals = true;
    cluster.fetch(2);
    assertThat(cluster.leader(1).proposedInSyncReplicas()).containsExactly(1, 2);
    assertThat(cluster.produce(1, ALL, "a").answer()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
    cluster.controller.answerNext();
    assertThat(cluster.produce(1, ALL, "a").isPending()).isTrue();
  }

  @Test
  void aLiveChangeOfTheMinimumIsObeyedAtOnce() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    cluster.fence(3);
    Produced waits = cluster.produce(1, ALL, "a");
    cluster.leader(1).onMinInSyncReplicas(3);
    assertThat(waits.answer()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    cluster.fetch(2);
    cluster.fetch(2);
    assertThat(cluster.highWatermark(1)).isZero();
    cluster.leader(1).onMinInSyncReplicas(2);
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
  }

  @Test
  void aMinimumAboveTheNumberOfReplicasMeansAll() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 5).start();
    Produced waits = cluster.produce(1, ALL, "a");
    cluster.catchUp();
    assertThat(waits.isAcknowledged()).isTrue();
  }

  @Test
  void theHighWatermarkRisesWithTheShrinkThoughNothingElseHappens() throws Exception {
    // KAFKA-13091
    ReplicaCluster cluster = new ReplicaCluster(3, 2).start();
    cluster.controller.holdsProposals = true;
    Produced waits = cluster.produce(1, ALL, "a");
    for (int i = 0; i < 3; i++) {
      cluster.timers.advanceMs(LAG_MS / 2);
      cluster.fetch(2);
    }
    cluster.leader(1).checkInSync();
    assertThat(waits.isPending()).isTrue();
    cluster.controller.answerNext();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
    assertThat(waits.isAcknowledged()).isTrue();
  }

  @Test
  void aShrinkWhoseAnswerIsLostIsRepeatedAndSucceeds() throws Exception {
    // KAFKA-14144
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.controller.holdsProposals = true;
    Produced waits = cluster.produce(1, ALL, "a");
    cluster.timers.advanceMs(LAG_MS + 1);
    cluster.leader(1).checkInSync();
    cluster.controller.decideAndAnswer(Errors.REQUEST_TIMED_OUT);
    assertThat(cluster.controller.partition.isr()).containsExactly(1);
    assertThat(waits.isPending()).isTrue(); // it cannot know
    cluster.timers.advanceMs(InSyncSet.RETRY_PAUSE_MS);
    cluster.controller.answerNext();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1);
    assertThat(waits.isAcknowledged()).isTrue();
  }

  @Test
  void aFollowerThatTheControllerCallsIneligibleStaysOut() throws Exception {
    // KAFKA-13916
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.fence(2);
    cluster.controller.setFenced(2, false);
    cluster.tellAll();
    cluster.controller.setFenced(2, true); // the leader has not heard of it
    cluster.fetch(2);
    assertThat(cluster.controller.proposals).isEqualTo(1);
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1);
    assertThat(cluster.leader(1).proposedInSyncReplicas()).isEmpty();
  }

  @Test
  void whoMayNotComeInHoldsNobodyUpThoughItKeptUpUntilNow() throws Exception {
    // KAFKA-15021
    ReplicaCluster cluster = new ReplicaCluster(3, 2).start();
    cluster.produce(1, ALL, "a");
    cluster.catchUp();
    cluster.fence(3); // as a broker that stops is, and it keeps fetching
    cluster.fetch(3);
    Produced waits = cluster.produce(1, ALL, "b");
    cluster.fetch(2);
    cluster.fetch(2);
    assertThat(cluster.leader(1).followerEndOffset(3)).isEqualTo(1);
    assertThat(cluster.highWatermark(1)).isEqualTo(2);
    assertThat(waits.isAcknowledged()).isTrue();
  }

  @Test
  void onASyncingTopicTheLeadersOwnEndCountsFromItsSyncOn() throws Exception {
    ReplicaCluster cluster =
        new ReplicaCluster(2, 2).settings(LogSettings.defaults().withFlushMessages(1)).start();
    Produced waits = cluster.produce(1, ALL, "a");
    cluster.fetch(2);
    assertThat(cluster.follower(2).step()).isEqualTo(FollowerStep.AWAIT_SYNC);
    cluster.node(2).work();
    assertThat(cluster.follower(2).step()).isEqualTo(FollowerStep.FETCH);
    cluster.fetch(2);
    assertThat(cluster.leader(1).followerEndOffset(2)).isEqualTo(1);
    assertThat(cluster.highWatermark(1)).isZero();
    cluster.node(1).work();
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
    assertThat(waits.isAcknowledged()).isTrue();
  }

  @Test
  void aCoordinatorWritesForAllAndIsRefusedLikeAcksAll() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    cluster.fence(2);
    assertThatThrownBy(
            () ->
                cluster
                    .leader(1)
                    .append(
                        Batches.plain(cluster.clock.wallMs(), "commit"), AppendOrigin.COORDINATOR))
        .isInstanceOfSatisfying(
            RefusedAppend.class,
            refused -> assertThat(refused.error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS));
    assertThat(cluster.end(1)).isZero();
  }

  @Test
  void aDivergingFetchTeachesTheLeaderNothing() throws Exception {
    // KAFKA-13141
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.produce(1, LEADER, "only at one", "and another");
    cluster.kill(1);
    cluster.elect(2);
    cluster.produce(2, LEADER, "x");
    cluster.produce(2, LEADER, "y");
    cluster.restart(1);

    ReplicaCluster.OnItsWay diverging = cluster.ask(1); // from 3, which would be caught up
    assertThat(diverging.answer().diverging()).isNotNull();
    assertThat(cluster.leader(2).followerEndOffset(1)).isEqualTo(-1);
    assertThat(cluster.leader(2).inSyncReplicas()).doesNotContain(1);
    assertThat(cluster.highWatermark(2)).isEqualTo(1);
  }

  @Test
  void aFetchBelowTheLogStartIsOutOfRangeAndTeachesTheLeaderNothing() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    for (int i = 0; i < 5; i++) {
      cluster.produce(1, LEADER, "v" + i);
    }
    cluster.catchUp();
    cluster.leader(1).log().advanceLogStartOffset(3, 5);
    FollowerFetch below =
        new FollowerFetch(2, cluster.node(2).ownEpoch, 0, 2, 0, 0, 0, EVERYTHING, true);
    assertThat(cluster.leader(1).fetch(below).error()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
    assertThat(cluster.leader(1).followerEndOffset(2)).isEqualTo(5);
  }

  @Test
  void anEpochThatIsNotKnownHereIsNoDivergence() throws Exception {
    // KAFKA-9840
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    FollowerFetch later =
        new FollowerFetch(2, cluster.node(2).ownEpoch, 0, 1, 7, 0, 0, EVERYTHING, true);
    FollowerAnswer answer = cluster.leader(1).fetch(later);
    assertThat(answer.error()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
    assertThat(answer.diverging()).isNull();
  }

  @Test
  void aFetchOfAnEarlierRegistrationIsRefused() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    FollowerFetch old = fetchBy(cluster, 2, 1);
    cluster.kill(2);
    cluster.restart(2);
    cluster.fetch(2);
    assertThat(cluster.leader(1).fetch(old).error()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(cluster.leader(1).followerEndOffset(2)).isZero();
  }

  @Test
  void whoIsNotAmongTheReplicasAsksAgainUntilTheLeaderKnowsToo() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    FollowerFetch stranger = new FollowerFetch(9, 1, 0, 0, -1, 0, 0, EVERYTHING, true);
    assertThat(cluster.leader(1).fetch(stranger).error()).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
  }

  @Test
  void aLeaderForANewEpochForgetsWhereItsFollowersWere() throws Exception {
    // Somebody else led meanwhile: what a follower had then it may have truncated since.
    ReplicaCluster cluster = new ReplicaCluster(3, 2).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.produce(1, LEADER, "b", "c");
    cluster.fetch(3);
    cluster.ask(3); // the leader knows that 3 has b and c
    cluster.controller.elect(2);
    cluster.tell(2);
    cluster.tell(3);
    cluster.fetch(3); // 3 truncates for 2
    assertThat(cluster.end(3)).isEqualTo(1);
    cluster.elect(1); // 1 never heard of 2

    FetchPosition second = cluster.follower(2).position();
    assertThat(second.fetchOffset()).isEqualTo(1);
    cluster.fetch(2); // forgets its own epoch, which has no record
    cluster.fetch(2);
    cluster.fetch(2);
    assertThat(cluster.leader(1).followerEndOffset(2)).isEqualTo(3);
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
    cluster.catchUp();
    assertThat(cluster.highWatermark(1)).isEqualTo(3);
    assertThat(cluster.log(3)).isEqualTo("[(0,a), (0,b), (0,c)]");
  }

  @Test
  void theEndOfTheRoleTellsAllThatWait() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    Produced waits = cluster.produce(1, ALL, "a");
    List<Boolean> ended = new ArrayList<>();
    cluster
        .leader(1)
        .addListener(
            moved -> {
              ended.add(moved.isStopped());
              return false;
            });
    PartitionLeader before = cluster.leader(1);
    cluster.elect(2);
    assertThat(waits.answer()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(ended).containsExactly(true);
    assertThat(before.fetch(fetchBy(cluster, 2, 0)).error())
        .isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(before.checkEpoch(-1)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
  }

  @Test
  void epochZeroIsAnEpoch() throws Exception {
    // Redpanda 99ba9b6
    ReplicaCluster cluster = new ReplicaCluster(1, 1).start();
    assertThat(cluster.leader(1).checkEpoch(0)).isEqualTo(Errors.NONE);
    cluster.elect(1);
    assertThat(cluster.leader(1).checkEpoch(0)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    assertThat(cluster.leader(1).checkEpoch(-1)).isEqualTo(Errors.NONE);
  }

  @Test
  void acksOneAndAcksAllMixedIsVisibleOnlyAsFarAsTheIsrHasIt() throws Exception {
    // Redpanda 09917c7
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    Produced all = cluster.produce(1, ALL, "quorum");
    cluster.fetch(2);
    cluster.produce(1, LEADER, "leader only");
    cluster.fetch(2);
    assertThat(all.isAcknowledged()).isTrue();
    assertThat(cluster.readable(1)).containsExactly("quorum");
  }

  @Test
  void aConsumerAtTheLeaderIsOutOfRangeOnlyOutsideTheLog() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a", "b");
    assertThat(cluster.highWatermark(1)).isZero();
    assertThat(cluster.leader(1).checkConsumerOffset(2)).isEqualTo(Errors.NONE);
    assertThat(cluster.leader(1).checkConsumerOffset(3)).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
    assertThat(cluster.leader(1).checkConsumerOffset(-1)).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
  }

  @Test
  void anOpenTransactionHoldsTheStableOffsetAtAFollowerAndAtTheNextLeader() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    long nowMs = cluster.clock.wallMs();
    cluster
        .leader(1)
        .append(Batches.transactional(9, 0, 0, nowMs, "open"), AppendOrigin.COORDINATOR);
    cluster.produce(1, LEADER, "b");
    cluster.catchUp();
    assertThat(cluster.highWatermark(2)).isEqualTo(3);
    assertThat(cluster.follower(2).lastStableOffset()).isEqualTo(1);

    cluster.kill(1);
    cluster.elect(2);
    assertThat(cluster.leader(2).lastStableOffset()).isEqualTo(1);
    cluster.leader(2).append(Batches.marker(9, 0, false, 0, nowMs), AppendOrigin.COORDINATOR);
    assertThat(cluster.leader(2).lastStableOffset()).isEqualTo(4);
    List<AbortedTxn> aborted = cluster.leader(2).log().abortedTransactions(0, 4);
    assertThat(aborted).hasSize(1);
    assertThat(aborted.get(0).producerId()).isEqualTo(9);
    assertThat(aborted.get(0).firstOffset()).isEqualTo(1);
  }
}
