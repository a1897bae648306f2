package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.log.Batches;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.EpochStart;
import dev.tidemark.log.LogSettings;
import dev.tidemark.sim.DiskFaults;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class PartitionFollowerTest {
  private static final boolean LEADER = false;

  private static ReplicaCluster withOneRecordEverywhere() throws IOException {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    return cluster;
  }

  private static LeaderAnswer records(long highWatermark, ByteBuffer records) {
    return new LeaderAnswer(Errors.NONE, highWatermark, 0, 100, null, records);
  }

  private static LeaderAnswer diverging(int epoch, long endOffset) {
    return new LeaderAnswer(Errors.NONE, 0, 0, 100, new EpochEnd(epoch, endOffset), null);
  }

  private static ByteBuffer batch(long baseOffset, int epoch, String... values) {
    return Batches.plain(1000, values).putLong(0, baseOffset).putInt(12, epoch);
  }

  @Test
  void anEmptyAnswerKeepsTheLastFetchedEpoch() throws Exception {
    // KAFKA-15510
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    FetchPosition before = follower.position();
    assertThat(before.lastFetchedEpoch()).isZero();
    assertThat(follower.onAnswer(before, records(1, null))).isEqualTo(FollowerStep.FETCH);
    assertThat(follower.position()).isEqualTo(before);
  }

  @Test
  void anAnswerFromAnOlderEpochIsIgnored() throws Exception {
    // KAFKA-7786
    ReplicaCluster cluster = withOneRecordEverywhere();
    FetchPosition asked = cluster.follower(2).position();
    cluster.follower(2).onLeader(1, 3);
    FollowerStep step = cluster.follower(2).onAnswer(asked, diverging(0, 0));
    assertThat(step).isEqualTo(FollowerStep.FETCH);
    assertThat(cluster.end(2)).isEqualTo(1);
    cluster.follower(2).onAnswer(asked, records(1, batch(1, 0, "old")));
    assertThat(cluster.end(2)).isEqualTo(1);
  }

  @Test
  void anAnswerAfterTheRoleHasEndedIsIgnored() throws Exception {
    // KAFKA-13207
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    FetchPosition asked = follower.position();
    cluster.elect(2);
    assertThat(follower.onAnswer(asked, diverging(0, 0))).isEqualTo(FollowerStep.NONE);
    assertThat(cluster.end(2)).isEqualTo(1);
  }

  @Test
  void anAnswerThatComesTwiceCountsOnce() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    cluster.produce(1, LEADER, "b");
    ReplicaCluster.OnItsWay answer = cluster.ask(2);
    cluster.hear(answer);
    assertThat(cluster.hear(answer)).isEqualTo(FollowerStep.FETCH);
    assertThat(cluster.log(2)).isEqualTo("[(0,a), (0,b)]");
  }

  @Test
  void aBatchBelowTheEndIsRefused() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    FollowerStep step = follower.onAnswer(follower.position(), records(1, batch(0, 0, "other")));
    assertThat(step).isEqualTo(FollowerStep.BACK_OFF);
    assertThat(cluster.log(2)).isEqualTo("[(0,a)]");
  }

  @Test
  void aDamagedBatchIsRefusedAndAskedForAgain() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    ByteBuffer damaged = batch(1, 0, "b");
    damaged.put(damaged.limit() - 2, (byte) 77);
    assertThat(follower.onAnswer(follower.position(), records(1, damaged)))
        .isEqualTo(FollowerStep.BACK_OFF);
    assertThat(cluster.end(2)).isEqualTo(1);
  }

  @Test
  void gapsOfTheLeadersLogAreKept() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    follower.onAnswer(follower.position(), records(1, batch(7, 0, "h")));
    assertThat(cluster.end(2)).isEqualTo(8);
    assertThat(follower.position().fetchOffset()).isEqualTo(8);
  }

  @Test
  void theHighWatermarkIsNeverBeyondTheOwnEnd() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    follower.onAnswer(follower.position(), records(50, null));
    assertThat(follower.highWatermark()).isEqualTo(1);
    follower.onAnswer(follower.position(), records(50, batch(1, 0, "b", "c")));
    assertThat(follower.highWatermark()).isEqualTo(3);
  }

  @Test
  void aNewLeaderWhoseHighWatermarkIsBehindTakesNothingBackFromReaders() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    follower.onLeader(1, 1);
    follower.onAnswer(follower.position(), records(0, null));
    assertThat(follower.highWatermark()).isEqualTo(1);
  }

  @Test
  void theLogStartFollowsTheLeaders() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.produce(1, LEADER, "b");
    cluster.catchUp();
    cluster.leader(1).log().advanceLogStartOffset(1, 2);
    cluster.fetch(2);
    assertThat(cluster.node(2).log.logStartOffset()).isEqualTo(1);
  }

  @Test
  void aFollowerThatEndsBeforeTheLeadersStartBeginsAnewThere() throws Exception {
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.produce(1, LEADER, "a");
    cluster.catchUp();
    cluster.fence(2);
    for (int i = 0; i < 4; i++) {
      cluster.produce(1, LEADER, "v" + i);
    }
    cluster.leader(1).log().advanceLogStartOffset(3, 5);

    assertThat(cluster.fetch(2)).isEqualTo(FollowerStep.ASK_OFFSETS);
    assertThat(cluster.end(2)).isEqualTo(1);
    assertThat(cluster.fetch(2)).isEqualTo(FollowerStep.FETCH);
    assertThat(cluster.node(2).log.logStartOffset()).isEqualTo(3);
    assertThat(cluster.highWatermark(2)).isEqualTo(3);
    cluster.fetch(2);
    assertThat(cluster.log(2)).isEqualTo("[(0,v2), (0,v3)]");
    assertThat(cluster.follower(2).lostTails().all()).isEmpty();
  }

  @Test
  void aNewReplicaTakesTheBatchThatHoldsTheLogStart() throws Exception {
    // KAFKA-6975
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    cluster.fence(2);
    cluster.produce(1, LEADER, "0", "1", "2", "3", "4");
    cluster.produce(1, LEADER, "5", "6", "7", "8", "9");
    cluster.leader(1).log().advanceLogStartOffset(7, 10);
    cluster.fetch(2);
    cluster.fetch(2);
    cluster.fetch(2);
    assertThat(cluster.end(2)).isEqualTo(10);
    assertThat(cluster.node(2).log.logStartOffset()).isEqualTo(7);
  }

  @Test
  void aReplicaThatEndsWhereTheLeadersLogStartsInsideABatchBeginsAnew() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    cluster.elect(1);
    PartitionFollower follower = cluster.follower(2);
    LeaderAnswer fromInside =
        new LeaderAnswer(Errors.NONE, 3, 1, 3, null, batch(0, 1, "x", "y", "z"));
    assertThat(follower.onAnswer(follower.position(), fromInside)).isEqualTo(FollowerStep.FETCH);
    assertThat(follower.log().logStartOffset()).isEqualTo(1);
    assertThat(cluster.end(2)).isEqualTo(3);
    assertThat(cluster.readable(2)).containsExactly("x", "y", "z");
  }

  @Test
  void aFollowerWithoutEpochsThatIsAheadIsCutToTheLeadersEnd() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    follower.onAnswer(follower.position(), LeaderAnswer.failed(Errors.OFFSET_OUT_OF_RANGE));
    assertThat(follower.step()).isEqualTo(FollowerStep.ASK_OFFSETS);
    assertThat(follower.onLeaderOffsets(follower.position(), 0, 0)).isEqualTo(FollowerStep.FETCH);
    assertThat(cluster.end(2)).isZero();
    assertThat(follower.lostTails().all()).hasSize(1);
    assertThat(follower.lostTails().all().get(0).removed().recordsBelowHighWatermark())
        .isEqualTo(1);
  }

  @Test
  void aFollowerWhoseOffsetIsWithinTheLeadersLogAfterAllAsksAgainLater() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    follower.onAnswer(follower.position(), LeaderAnswer.failed(Errors.OFFSET_OUT_OF_RANGE));
    assertThat(follower.onLeaderOffsets(follower.position(), 0, 5))
        .isEqualTo(FollowerStep.BACK_OFF);
    assertThat(follower.step()).isEqualTo(FollowerStep.FETCH);
    assertThat(cluster.end(2)).isEqualTo(1);
  }

  @Test
  void anUndefinedEpochIsNoDivergence() throws Exception {
    // KAFKA-9840
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    assertThat(follower.onAnswer(follower.position(), diverging(-1, -1)))
        .isEqualTo(FollowerStep.BACK_OFF);
    assertThat(cluster.end(2)).isEqualTo(1);
  }

  @Test
  void aDivergenceThatChangesNothingIsNotAskedForInALoop() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    assertThat(follower.onAnswer(follower.position(), diverging(0, 1)))
        .isEqualTo(FollowerStep.BACK_OFF);
    assertThat(cluster.end(2)).isEqualTo(1);
  }

  @Test
  void whatTheLeadersEpochDoesNotCoverIsCutAtTheOwnEpochBelow() throws Exception {
    // KIP-279: own epochs 0 and 2, the leader's 0, 1 and 3
    ReplicaCluster cluster = new ReplicaCluster(2, 1).start();
    PartitionFollower follower = cluster.follower(2);
    follower.onAnswer(follower.position(), records(0, batch(0, 0, "a", "b")));
    follower.onAnswer(follower.position(), records(0, batch(2, 2, "c")));
    assertThat(follower.position().lastFetchedEpoch()).isEqualTo(2);
    follower.onAnswer(follower.position(), diverging(1, 5));
    assertThat(cluster.end(2)).isEqualTo(2);
    assertThat(follower.log().epochStarts()).containsExactly(new EpochStart(0, 0));
  }

  @Test
  void errorsThatPassAreFollowedByABackOff() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    for (Errors error :
        new Errors[] {
          Errors.UNKNOWN_LEADER_EPOCH,
          Errors.NOT_LEADER_OR_FOLLOWER,
          Errors.UNKNOWN_TOPIC_ID,
          Errors.KAFKA_STORAGE_ERROR,
          Errors.NETWORK_EXCEPTION
        }) {
      assertThat(follower.onAnswer(follower.position(), LeaderAnswer.failed(error)))
          .isEqualTo(FollowerStep.BACK_OFF);
      assertThat(follower.step()).isEqualTo(FollowerStep.FETCH);
    }
  }

  @Test
  void afterFencingItWaitsForNewerMetadata() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    assertThat(
            follower.onAnswer(follower.position(), LeaderAnswer.failed(Errors.FENCED_LEADER_EPOCH)))
        .isEqualTo(FollowerStep.AWAIT_METADATA);
    follower.onLeader(1, 0);
    assertThat(follower.step()).isEqualTo(FollowerStep.AWAIT_METADATA);
    follower.onLeader(1, 1);
    assertThat(follower.step()).isEqualTo(FollowerStep.FETCH);
  }

  @Test
  void aDiskThatFailsEndsTheFollowing() throws Exception {
    ReplicaCluster cluster = withOneRecordEverywhere();
    PartitionFollower follower = cluster.follower(2);
    cluster.node(2).disk.faults().failNext(DiskFaults.Change.WRITE, 0);
    FetchPosition asked = follower.position();
    assertThatThrownBy(() -> follower.onAnswer(asked, records(1, batch(1, 0, "b"))))
        .isInstanceOf(IOException.class);
    assertThat(follower.step()).isEqualTo(FollowerStep.NONE);
  }

  @Test
  void aNewRoleOnASyncingTopicHearsOfTheSyncOfTheOneBefore() throws Exception {
    ReplicaCluster cluster =
        new ReplicaCluster(2, 1).settings(LogSettings.defaults().withFlushMessages(1)).start();
    cluster.produce(1, LEADER, "a");
    cluster.elect(2);
    assertThat(cluster.follower(1).step()).isEqualTo(FollowerStep.AWAIT_SYNC);
    cluster.node(1).work();
    assertThat(cluster.follower(1).step()).isEqualTo(FollowerStep.FETCH);
  }

  @Test
  void aConsumerBeyondTheFollowersEndIsToldToAskAgain() throws Exception {
    // KIP-392
    ReplicaCluster cluster = withOneRecordEverywhere();
    cluster.produce(1, LEADER, "b");
    cluster.fetch(2);
    PartitionFollower follower = cluster.follower(2);
    assertThat(follower.highWatermark()).isEqualTo(1);
    assertThat(follower.checkConsumerOffset(0)).isEqualTo(Errors.NONE);
    assertThat(follower.checkConsumerOffset(2)).isEqualTo(Errors.NONE);
    assertThat(follower.checkConsumerOffset(3)).isEqualTo(Errors.OFFSET_NOT_AVAILABLE);
    follower.log().advanceLogStartOffset(1, 1);
    assertThat(follower.checkConsumerOffset(0)).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
  }

  @Test
  void aWaitingReaderIsWokenByReplication() throws Exception {
    // KAFKA-14334
    ReplicaCluster cluster = withOneRecordEverywhere();
    long[] heard = {-1};
    cluster
        .follower(2)
        .addListener(
            moved -> {
              heard[0] = moved.highWatermark();
              return true;
            });
    cluster.produce(1, LEADER, "b");
    cluster.fetch(2);
    assertThat(heard[0]).isEqualTo(-1);
    cluster.fetch(2);
    assertThat(heard[0]).isEqualTo(2);
  }
}
