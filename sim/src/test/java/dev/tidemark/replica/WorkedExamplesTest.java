package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.RemovedTail;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Small stories of replication that hold to the digit. */
class WorkedExamplesTest {
  private static final boolean ALL = true;
  private static final boolean LEADER = false;
  private static final long LAG_MS = LagRule.defaults().timeMaxMs();

  /** What a batch stands for where rates are compared, all of which are multiples of it. */
  private static final int MB_OF_A_BATCH = 5;

  // --- the safe prefix and the lost tail ---

  @Test
  void theSafePrefixSurvivesAndTheRestIsReportedAsLostTail() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    Produced safe = cluster.produce(1, ALL, "safe");
    assertThat(safe.isPending()).isTrue();
    assertThat(cluster.end(1)).isEqualTo(1);
    assertThat(cluster.end(2)).isZero();
    assertThat(cluster.highWatermark(1)).isZero();
    assertThat(cluster.readable(1)).isEmpty();

    cluster.fetch(2);
    assertThat(cluster.end(2)).isEqualTo(1);
    assertThat(cluster.highWatermark(1)).isZero();
    cluster.fetch(2);
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
    assertThat(safe.isAcknowledged()).isTrue();
    assertThat(safe.baseOffset).isZero();
    assertThat(cluster.highWatermark(2)).isEqualTo(1);

    Produced atRisk = cluster.produce(1, LEADER, "at-risk");
    assertThat(atRisk.isAcknowledged()).isTrue();
    assertThat(atRisk.baseOffset).isEqualTo(1);
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
    assertThat(cluster.readable(1)).containsExactly("safe");

    cluster.kill(1);
    cluster.elect(2);
    assertThat(cluster.readable(2)).containsExactly("safe");

    cluster.restart(1);
    cluster.fetch(1);
    assertThat(cluster.end(1)).isEqualTo(1);
    List<LostTail> lost = cluster.follower(1).lostTails().all();
    assertThat(lost).hasSize(1);
    RemovedTail removed = lost.get(0).removed();
    assertThat(removed.firstEpoch()).isZero();
    assertThat(removed.lastEpoch()).isZero();
    assertThat(removed.firstOffset()).isEqualTo(1);
    assertThat(removed.lastOffset()).isEqualTo(1);
    assertThat(removed.records()).isEqualTo(1);
    assertThat(removed.recordsBelowHighWatermark()).isZero();
  }

  @Test
  void aNewLeaderWhoseHighWatermarkIsBehindTellsNoEndUntilItsIsrIsBack() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    Produced safe = cluster.produce(1, ALL, "safe");
    cluster.fetch(2);
    cluster.ask(2); // the answer, with high watermark 1, never arrives
    assertThat(safe.isAcknowledged()).isTrue();

    cluster.kill(1);
    cluster.elect(2);
    assertThat(cluster.end(2)).isEqualTo(1);
    assertThat(cluster.highWatermark(2)).isZero();
    assertThat(cluster.readable(2)).isEmpty();
    assertThat(cluster.leader(2).checkLatestOffset()).isEqualTo(Errors.OFFSET_NOT_AVAILABLE);

    cluster.restart(1);
    cluster.fetch(1);
    assertThat(cluster.leader(2).inSyncReplicas()).containsExactly(2, 1);
    assertThat(cluster.leader(2).checkLatestOffset()).isEqualTo(Errors.NONE);
    assertThat(cluster.readable(2)).containsExactly("safe");
  }

  @Test
  void withOneReplicaARecordIsReadableAtOnce() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(1, 2).start();
    cluster.produce(1, LEADER, "unanswered");
    assertThat(cluster.end(1)).isEqualTo(1);
    assertThat(cluster.readable(1)).containsExactly("unanswered");
  }

  @Test
  void acksAllWithTooFewInSyncWritesNothing() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    cluster.kill(2);
    Produced refused = cluster.produce(1, ALL, "a");
    assertThat(refused.answer()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
    assertThat(cluster.end(1)).isZero();
  }

  @Test
  void anIsrThatShrinksMeanwhileFailsTheProduceAndARetryIsStoredOnce() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 2).start();
    Produced first =
        cluster.produce(1, ALL, Batches.of(9, 0, 0, cluster.clock.wallMs(), "once"), "once");
    cluster.kill(2);
    assertThat(first.answer()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    assertThat(cluster.log(1)).isEqualTo("[(0,once)]");

    cluster.restart(2);
    cluster.catchUp();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
    Produced retry =
        cluster.produce(1, ALL, Batches.of(9, 0, 0, cluster.clock.wallMs(), "once"), "once");
    assertThat(retry.isAcknowledged()).isTrue();
    assertThat(retry.baseOffset).isZero();
    assertThat(cluster.log(1)).isEqualTo("[(0,once)]");
  }

  // --- a failover and the truncation it forces ---

  @Test
  void aFailoverKeepsWhatTheNewLeaderHasAndCutsTheRest() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    produceEach(cluster, "a", "b", "c");
    cluster.fetch(3);
    produceEach(cluster, "d");
    cluster.fetch(2);
    cluster.ask(3); // tells that it has 3; the answer never arrives
    cluster.ask(2); // tells that it has 4, likewise
    produceEach(cluster, "e");
    assertThat(cluster.end(1)).isEqualTo(5);
    assertThat(cluster.end(2)).isEqualTo(4);
    assertThat(cluster.end(3)).isEqualTo(3);
    assertThat(cluster.highWatermark(1)).isEqualTo(3);

    cluster.kill(1);
    cluster.elect(2);
    Produced x = cluster.produce(2, LEADER, "x");
    assertThat(x.baseOffset).isEqualTo(4);
    cluster.fetch(3);

    cluster.restart(1);
    ReplicaCluster.OnItsWay whereEpochZeroEnds = cluster.ask(1);
    assertThat(whereEpochZeroEnds.answer().diverging()).isEqualTo(new EpochEnd(0, 4));
    cluster.hear(whereEpochZeroEnds);
    assertThat(cluster.log(1)).isEqualTo("[(0,a), (0,b), (0,c), (0,d)]");
    RemovedTail removed = cluster.follower(1).lostTails().all().get(0).removed();
    assertThat(removed.firstOffset()).isEqualTo(4);
    assertThat(removed.lastOffset()).isEqualTo(4);
    assertThat(removed.firstEpoch()).isZero();

    cluster.fetch(3);
    assertThat(cluster.highWatermark(2)).isEqualTo(5);
    assertThat(cluster.leader(2).inSyncReplicas()).containsExactly(2, 3);
    cluster.fetch(1);
    assertThat(cluster.log(1)).isEqualTo("[(0,a), (0,b), (0,c), (0,d), (1,x)]");
    assertThat(cluster.log(3)).isEqualTo(cluster.log(1));
    assertThat(cluster.leader(2).inSyncReplicas()).containsExactly(2, 3);
    cluster.fetch(1);
    assertThat(cluster.leader(2).inSyncReplicas()).containsExactly(2, 3, 1);
  }

  private static void produceEach(ReplicaCluster cluster, String... values) throws IOException {
    for (String value : values) {
      cluster.produce(1, LEADER, value);
    }
  }

  // --- how the high watermark travels ---

  @Test
  void theHighWatermarkTravelsOneRoundTripBehind() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    for (int i = 0; i < 100; i++) {
      produceEach(cluster, "v" + i);
    }
    cluster.catchUp();
    assertThat(cluster.highWatermark(1)).isEqualTo(100);
    assertThat(cluster.highWatermark(2)).isEqualTo(100);

    for (int i = 100; i < 105; i++) {
      produceEach(cluster, "v" + i);
    }
    assertThat(cluster.end(1)).isEqualTo(105);

    ReplicaCluster.OnItsWay first = cluster.ask(2);
    assertThat(cluster.leader(1).followerEndOffset(2)).isEqualTo(100);
    assertThat(cluster.highWatermark(1)).isEqualTo(100);
    assertThat(first.answer().highWatermark()).isEqualTo(100);
    cluster.hear(first);
    assertThat(cluster.end(2)).isEqualTo(105);
    assertThat(cluster.highWatermark(2)).isEqualTo(100);

    ReplicaCluster.OnItsWay second = cluster.ask(2);
    assertThat(cluster.leader(1).followerEndOffset(2)).isEqualTo(105);
    assertThat(cluster.highWatermark(1)).isEqualTo(105);
    assertThat(second.answer().highWatermark()).isEqualTo(105);
    cluster.hear(second);
    assertThat(cluster.highWatermark(2)).isEqualTo(105);
  }

  @Test
  void aFollowerThatStopsFetchingHoldsTheHighWatermarkNoLongerThanTheLagTime() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.fetch(2);
    Produced waits = cluster.produce(1, ALL, "a");
    cluster.timers.advanceMs(LAG_MS);
    cluster.leader(1).checkInSync();
    assertThat(waits.isPending()).isTrue();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);

    cluster.timers.advanceMs(1);
    cluster.leader(1).checkInSync();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1);
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
    assertThat(waits.isAcknowledged()).isTrue();
  }

  // --- three conditions to be in sync ---

  private static ReplicaCluster withBrokerThreeOut() throws IOException {
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    produceEach(cluster, "a", "b");
    cluster.fence(3);
    cluster.catchUp();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
    return cluster;
  }

  @Test
  void whoHasNotReachedTheHighWatermarkStaysOut() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    cluster.fence(3);
    produceEach(cluster, "a", "b");
    cluster.fetch(2);
    cluster.fetch(2);
    assertThat(cluster.highWatermark(1)).isEqualTo(2);
    cluster.controller.setFenced(3, false);
    cluster.tellAll();

    cluster.fetch(3); // asks from 0, and gets all
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
    cluster.fetch(3);
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2, 3);
  }

  @Test
  void whoHasNotReachedTheStartOfTheLeadersEpochStaysOut() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    produceEach(cluster, "a");
    cluster.catchUp();
    cluster.fence(3);
    produceEach(cluster, "b");
    cluster.fetch(2); // has b, which is above the high watermark
    cluster.elect(2);
    assertThat(cluster.leader(2).epochStartOffset()).isEqualTo(2);
    assertThat(cluster.highWatermark(2)).isEqualTo(1);
    cluster.controller.setFenced(3, false);
    cluster.tellAll();

    cluster.fetch(3); // asks from 1: the high watermark, but not the epoch's start
    assertThat(cluster.leader(2).followerEndOffset(3)).isEqualTo(1);
    assertThat(cluster.leader(2).inSyncReplicas()).doesNotContain(3);
    cluster.fetch(3);
    assertThat(cluster.leader(2).inSyncReplicas()).contains(3);
  }

  @Test
  void whoIsFencedStaysOut() throws Exception {
    ReplicaCluster cluster = withBrokerThreeOut();
    cluster.fetch(3);
    assertThat(cluster.leader(1).followerEndOffset(3)).isEqualTo(2);
    assertThat(cluster.controller.proposals).isZero();
    cluster.controller.setFenced(3, false);
    cluster.tellAll();
    cluster.fetch(3);
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2, 3);
  }

  @Test
  void whoRegisteredAnewSinceItsFetchStaysOut() throws Exception {
    ReplicaCluster cluster = withBrokerThreeOut();
    cluster.controller.register(3);
    cluster.tellAll();
    cluster.fetch(3); // still of the life before
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
    cluster.node(3).ownEpoch = cluster.controller.broker(3).epoch();
    cluster.fetch(3);
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2, 3);
  }

  @Test
  void whoIsFurtherBehindThanTheBoundOfOffsetsIsNotInSyncIfThereIsOne() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).lag(new LagRule(LAG_MS, 2)).start();
    produceEach(cluster, "a", "b");
    cluster.fetch(2);
    cluster.fetch(2);
    produceEach(cluster, "c", "d");
    cluster.leader(1).checkInSync();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
    produceEach(cluster, "e");
    cluster.leader(1).checkInSync();
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1);
  }

  // --- a first batch larger than the fetch budget ---

  @Test
  void aFirstBatchLargerThanTheBudgetIsGivenWholeAndAloneAndThenTheBudgetHolds() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    for (int bytes : new int[] {900, 300, 300}) {
      // A key is its value and one letter more; all else in the batch takes 71 bytes.
      cluster.produce(1, LEADER, "x".repeat((bytes - 72) / 2));
    }
    assertThat(cluster.node(1).log.sizeInBytes()).isEqualTo(1500);

    cluster.hear(cluster.ask(2, 500));
    assertThat(cluster.node(2).log.sizeInBytes()).isEqualTo(900);
    cluster.hear(cluster.ask(2, 500));
    assertThat(cluster.node(2).log.sizeInBytes()).isEqualTo(1200);
    cluster.hear(cluster.ask(2, 500));
    assertThat(cluster.node(2).log.sizeInBytes()).isEqualTo(1500);
  }

  // --- fencing ---

  @Test
  void whatIsStampedWithAnotherEpochIsRefusedAndChangesNothing() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    produceEach(cluster, "a");
    cluster.catchUp();
    cluster.controller.elect(2);
    cluster.tell(2); // broker 3 has not heard of it

    FollowerFetch old = new FollowerFetch(3, cluster.node(3).ownEpoch, 0, 1, 0, 0, 1, 1000, true);
    assertThat(cluster.leader(2).fetch(old).error()).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    FollowerFetch newer = new FollowerFetch(3, cluster.node(3).ownEpoch, 2, 1, 0, 0, 1, 1000, true);
    assertThat(cluster.leader(2).fetch(newer).error()).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
    assertThat(cluster.leader(2).followerEndOffset(3)).isEqualTo(-1);
    assertThat(cluster.leader(2).checkEpoch(0)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    assertThat(cluster.leader(2).checkEpoch(1)).isEqualTo(Errors.NONE);
    assertThat(cluster.leader(2).checkEpoch(2)).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);

    // The old leader, which has not heard of it either, can change no ISR.
    cluster.timers.advanceMs(LAG_MS + 1);
    produceEach(cluster, "b");
    CommittedPartition before = cluster.controller.partition;
    cluster.leader(1).checkInSync();
    assertThat(cluster.controller.proposals).isPositive();
    assertThat(cluster.controller.partition).isEqualTo(before);
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
  }

  // --- the time to catch up ---

  @Test
  void whoWasDownCatchesUpInTheTimeThatItsBacklogTakesAtWhatItGainsPerSecond() throws Exception {
    ReplicaCluster fast = withAFollowerThatWasDown(600, 20);
    assertThat(backlogMb(fast)).isEqualTo(12_000);
    seconds(fast, 399, 20, 50);
    assertThat(backlogMb(fast)).isEqualTo(30);
    seconds(fast, 1, 20, 50);
    assertThat(backlogMb(fast)).as("after 400 s").isZero();
    assertThat(fast.leader(1).inSyncReplicas()).containsExactly(1);
    seconds(fast, 1, 20, 50);
    assertThat(fast.leader(1).inSyncReplicas()).containsExactly(1, 2);

    ReplicaCluster slow = withAFollowerThatWasDown(600, 20);
    seconds(slow, 2_399, 20, 25);
    assertThat(backlogMb(slow)).isEqualTo(5);
    seconds(slow, 1, 20, 25);
    assertThat(backlogMb(slow)).as("after 2,400 s").isZero();
  }

  @Test
  void whoGainsNothingNeverCatchesUp() throws Exception {
    ReplicaCluster cluster = withAFollowerThatWasDown(600, 20);
    seconds(cluster, 2_400, 20, 20);
    assertThat(backlogMb(cluster)).isEqualTo(12_000);
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1);
  }

  private static ReplicaCluster withAFollowerThatWasDown(int seconds, int writtenMb)
      throws IOException {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.kill(2);
    seconds(cluster, seconds, writtenMb, 0);
    cluster.restart(2);
    return cluster;
  }

  /** So many seconds, in each of which so much is written and after that so much applied. */
  private static void seconds(ReplicaCluster cluster, int count, int writtenMb, int appliedMb)
      throws IOException {
    for (int second = 0; second < count; second++) {
      for (int mb = 0; mb < writtenMb; mb += MB_OF_A_BATCH) {
        cluster.produce(1, LEADER, "a batch");
      }
      for (int mb = 0; mb < appliedMb; mb += MB_OF_A_BATCH) {
        cluster.hear(cluster.ask(2, 1)); // the least an answer brings: one batch
      }
      cluster.timers.advanceMs(1_000);
    }
  }

  private static long backlogMb(ReplicaCluster cluster) {
    return MB_OF_A_BATCH * (cluster.end(1) - cluster.end(2));
  }
}
