package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RemovedTail;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Sequences of events that replicated logs once got wrong; each stands for its kind. */
class ReplicationCasesTest {
  private static final boolean ALL = true;
  private static final boolean LEADER = false;

  @Test
  void aFollowerThatRestartsCutsNothingByItsOwnHighWatermark() throws Exception {
    // KIP-101, scenario 1
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, ALL, "0");
    cluster.catchUp();
    Produced second = cluster.produce(1, ALL, "1");
    cluster.fetch(2);
    cluster.ask(2); // acknowledged, and the follower does not hear of it
    assertThat(second.isAcknowledged()).isTrue();
    assertThat(cluster.highWatermark(2)).isEqualTo(1);

    cluster.kill(2);
    cluster.controller.commit(1, 0, List.of(1, 2)); // its session outlived the restart
    cluster.restart(2);
    cluster.kill(1);
    cluster.elect(2);
    assertThat(cluster.log(2)).isEqualTo("[(0,0), (0,1)]");
  }

  @Test
  void logsOfTheSameLengthWithOtherRecordsBecomeByteEqual() throws Exception {
    // KIP-101, scenario 2
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "0");
    cluster.catchUp();
    cluster.produce(1, LEADER, "only at one");
    cluster.kill(1);
    cluster.elect(2);
    cluster.produce(2, LEADER, "only at two");
    assertThat(cluster.end(1)).isEqualTo(cluster.end(2));

    cluster.restart(1);
    assertThat(cluster.ask(1).answer().diverging()).isEqualTo(new EpochEnd(0, 1));
    cluster.catchUp();
    assertThat(StoredRecord.bytes(cluster.node(1).log, 2))
        .isEqualTo(StoredRecord.bytes(cluster.node(2).log, 2));
    assertThat(cluster.log(1)).isEqualTo("[(0,0), (1,only at two)]");
  }

  @Test
  void aLeaderThatWroteNothingStillEndsTheEpochBeforeIt() throws Exception {
    // KAFKA-7415
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    for (int i = 0; i < 10; i++) {
      cluster.produce(1, LEADER, "v" + i);
    }
    cluster.catchUp();
    cluster.produce(1, LEADER, "10", "11");
    cluster.fetch(3); // 3 has epoch 0 up to 12
    cluster.controller.elect(2);
    cluster.tell(2); // leads from 10 on and writes nothing
    cluster.elect(2); // and once more
    assertThat(cluster.leader(2).log().endOffsetForEpoch(0)).isEqualTo(new EpochEnd(0, 10));
    assertThat(cluster.ask(3).answer().diverging()).isEqualTo(new EpochEnd(0, 10));
    cluster.fetch(3);
    assertThat(cluster.end(3)).isEqualTo(10);
  }

  @Test
  void electionsWithoutRecordsBetweenThemLeaveNoFollowerInALoop() throws Exception {
    // KAFKA-10706
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.elect(2);
    cluster.elect(3);
    cluster.elect(1);
    cluster.elect(2);
    cluster.produce(2, LEADER, "b");
    for (int i = 0; i < 4; i++) {
      cluster.fetch(1);
      cluster.fetch(3);
    }
    assertThat(cluster.log(1)).isEqualTo("[(0,a), (4,b)]");
    assertThat(cluster.log(3)).isEqualTo("[(0,a), (4,b)]");
    assertThat(cluster.follower(1).lostTails().all()).isEmpty();
  }

  @Test
  void aFollowerAheadOfItsLeaderIsCutAndGoesOn() throws Exception {
    // KAFKA-7414
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.fence(2);
    Produced below = cluster.produce(1, ALL, "committed by one alone");
    assertThat(below.isAcknowledged()).isTrue();
    cluster.kill(1);
    cluster.elect(2); // unclean: 2 was not in sync
    cluster.restart(1);
    cluster.catchUp();
    assertThat(cluster.log(1)).isEqualTo(cluster.log(2));
    RemovedTail removed = cluster.follower(1).lostTails().all().get(0).removed();
    assertThat(removed.firstOffset()).isEqualTo(1);
  }

  @Test
  void recordsThatWereOnceBelowTheHighWatermarkAreCountedApart() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.fence(2);
    cluster.produce(1, ALL, "b", "c");
    cluster.elect(2); // unclean, while 1 is alive and knows what was committed
    cluster.fetch(1);
    RemovedTail removed = cluster.follower(1).lostTails().all().get(0).removed();
    assertThat(removed.records()).isEqualTo(2);
    assertThat(removed.recordsBelowHighWatermark()).isEqualTo(2);
    assertThat(cluster.highWatermark(1)).isEqualTo(1);
  }

  @Test
  void aNewLeaderIsNotHeldToAnIsrOfThoseWhoHaveNotSpoken() throws Exception {
    // apache/fluss#3698: it writes before the first fetch of its followers
    ReplicaCluster cluster = new ReplicaCluster(3, 1).start();
    cluster.timers.advanceMs(10 * LagRule.defaults().timeMaxMs());
    cluster.elect(2);
    cluster.produce(2, LEADER, "a");
    cluster.leader(2).checkInSync();
    assertThat(cluster.leader(2).inSyncReplicas()).containsExactly(1, 2, 3);
  }

  @Test
  void whatAnElectionCostsIsKnownAtLeastAndBecomesExact() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.produce(1, LEADER, "b", "c");
    cluster.hear(cluster.askForNothing(2)); // no records, but the leader's end
    cluster.produce(1, LEADER, "d");
    cluster.timers.advanceMs(250);
    cluster.kill(1);
    cluster.elect(2);

    ElectionLoss loss = cluster.leader(2).electionLoss();
    assertThat(loss.certainty()).isEqualTo(LostTailEntry.State.UNCONFIRMED);
    assertThat(loss.offsets()).isEqualTo(2);
    assertThat(loss.startOffset()).isEqualTo(1);
    assertThat(loss.seenBeforeMs()).isEqualTo(250);
    assertThat(loss)
        .hasToString(
            "at least offsets 1 to 2 of broker 1 (leader epoch 0, seen 250 ms before leader epoch 1)");

    cluster.restart(1);
    cluster.fetch(1);
    assertThat(loss.certainty()).isEqualTo(LostTailEntry.State.UNCONFIRMED);
    assertThat(loss.offsets()).isEqualTo(3);
    cluster.fetch(1);
    assertThat(loss.certainty()).isEqualTo(LostTailEntry.State.EXACT);
    assertThat(loss.offsets()).isEqualTo(3);
    assertThat(cluster.follower(1).lostTails().all().get(0).removed().records()).isEqualTo(3);
  }

  @Test
  void anElectionThatCostsNothingSaysSoOnceTheOldLeaderIsBack() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.kill(1);
    cluster.elect(2);
    cluster.produce(2, LEADER, "b");
    cluster.restart(1);
    cluster.fetch(1);
    ElectionLoss loss = cluster.leader(2).electionLoss();
    assertThat(loss.certainty()).isEqualTo(LostTailEntry.State.EXACT);
    assertThat(loss.offsets()).isZero();
  }

  @Test
  void onASyncingTopicWhatWasAcknowledgedSurvivesALossOfPowerOfAll() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      ReplicaCluster cluster =
          new ReplicaCluster(2, 2).settings(LogSettings.defaults().withFlushMessages(1)).start();
      Produced kept = cluster.produce(1, ALL, "kept");
      cluster.catchUp();
      assertThat(kept.isAcknowledged()).isTrue();
      Produced maybe = cluster.produce(1, ALL, "maybe");
      cluster.fetch(2);
      assertThat(maybe.isPending()).isTrue();

      cluster.losePower(1, seed);
      cluster.losePower(2, seed + 1000);
      cluster.restart(2);
      cluster.elect(2);
      cluster.restart(1);
      cluster.catchUp();
      assertThat(cluster.readable(2)).as("seed %d", seed).startsWith("kept");
      assertThat(cluster.log(1)).isEqualTo(cluster.log(2));
    }
  }

  @Test
  void aReplicaThatIsBackWithLessThanItToldIsCutForNothingAndCatchesUp() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(3, 2).start();
    for (int i = 0; i < 5; i++) {
      cluster.produce(1, ALL, "v" + i);
    }
    cluster.catchUp();
    cluster.losePower(3, 3);
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
    cluster.restart(3);
    cluster.catchUp();
    assertThat(cluster.log(3)).isEqualTo(cluster.log(1));
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2, 3);
  }

  @Test
  void whoDivergesBelowTheLogStartIsOutOfRangeAndBeginsAnewThere() throws Exception {
    // KAFKA-12996
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    for (String value : List.of("b", "c", "d")) {
      cluster.produce(1, LEADER, value);
    }
    cluster.elect(2); // which has none of the three
    cluster.produce(2, LEADER, "x");
    cluster.kill(2);
    cluster.elect(1);
    cluster.produce(1, LEADER, "e");
    PartitionLog leaders = cluster.leader(1).log();
    leaders.advanceLogStartOffset(3, 5);
    assertThat(leaders.endOffsetForEpoch(1)).as("it diverges").isEqualTo(new EpochEnd(0, 4));

    cluster.restart(2);
    assertThat(cluster.follower(2).position().fetchOffset()).isEqualTo(2);
    ReplicaCluster.OnItsWay refused = cluster.ask(2);
    assertThat(refused.answer().error()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
    assertThat(refused.answer().diverging()).isNull();
    assertThat(cluster.leader(1).followerEndOffset(2)).isEqualTo(-1);
    assertThat(cluster.hear(refused)).isEqualTo(FollowerStep.ASK_OFFSETS);
    cluster.catchUp();
    assertThat(cluster.node(2).log.logStartOffset()).isEqualTo(3);
    assertThat(cluster.log(2)).isEqualTo("[(0,d), (2,e)]").isEqualTo(cluster.log(1));
    assertThat(cluster.leader(1).inSyncReplicas()).containsExactly(1, 2);
  }
}
