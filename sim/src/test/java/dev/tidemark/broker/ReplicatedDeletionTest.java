package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.SimCluster.Exchange;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** DeleteRecords is answered when no living replica has what was deleted (KIP-107). */
class ReplicatedDeletionTest {
  private static final List<Integer> ALL = List.of(1, 2, 3);
  private static final int LONG_MS = 50_000;

  private record Deleted(Errors error, long lowWatermark) {}

  private static SimCluster withThreeRecords(long seed) throws IOException {
    SimCluster cluster = new SimCluster(seed, 3);
    cluster.create("t", ALL, "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "a", "b", "c")).isEqualTo(Errors.NONE);
    cluster.await(() -> ALL.stream().allMatch(id -> cluster.highWatermark(id, "t") == 3));
    return cluster;
  }

  private static Exchange delete(SimCluster cluster, long offset, int timeoutMs) {
    DeleteRecordsRequestData data = new DeleteRecordsRequestData().setTimeoutMs(timeoutMs);
    data.topics()
        .add(
            new DeleteRecordsTopic()
                .setName("t")
                .setPartitions(
                    List.of(new DeleteRecordsPartition().setPartitionIndex(0).setOffset(offset))));
    return cluster.send(
        1,
        ApiKeys.DELETE_RECORDS,
        (short) 2,
        data,
        response -> {
          var part = ((DeleteRecordsResponseData) response).topics().find("t").partitions().find(0);
          return new Deleted(Errors.forCode(part.errorCode()), part.lowWatermark());
        });
  }

  private static long start(SimCluster cluster, int broker) {
    return Objects.requireNonNull(cluster.broker(broker).role("t", 0)).log().logStartOffset();
  }

  @Test
  void itIsAnsweredSoonWhenAllReplicasHaveMovedTheirStart() throws IOException {
    SimCluster cluster = withThreeRecords(1);
    assertThat(cluster.answer(delete(cluster, 2, 300))).isEqualTo(new Deleted(Errors.NONE, 2));
    assertThat(start(cluster, 2)).isEqualTo(2);
    assertThat(start(cluster, 3)).isEqualTo(2);
    assertThat(cluster.answer(delete(cluster, 1, 0))).isEqualTo(new Deleted(Errors.NONE, 2));
  }

  @Test
  void itWaitsForAReplicaThatHangs() throws IOException {
    SimCluster cluster = withThreeRecords(2);
    cluster.broker(3).freeze();
    Exchange deletion = delete(cluster, -1, LONG_MS);
    cluster.await(() -> start(cluster, 2) == 3);
    cluster.runForMs(1_000);
    assertThat(deletion.isAnswered()).isFalse();
    cluster.broker(3).wake();
    assertThat(cluster.answer(deletion)).isEqualTo(new Deleted(Errors.NONE, 3));
    assertThat(start(cluster, 3)).isEqualTo(3);
  }

  @Test
  void aClientThatIsGoneLeavesNothingThatWaits() throws IOException {
    SimCluster cluster = withThreeRecords(6);
    cluster.broker(3).freeze();
    int before = cluster.leader(1, "t").observers();
    Exchange unused = delete(cluster, 3, Integer.MAX_VALUE);
    cluster.await(() -> start(cluster, 2) == 3);
    assertThat(cluster.leader(1, "t").observers()).isEqualTo(before + 1);
    cluster.hangUp(1);
    cluster.runForMs(1_000);
    assertThat(cluster.isUnfenced(3)).as("and not because broker 3 is fenced").isTrue();
    assertThat(cluster.leader(1, "t").observers()).isEqualTo(before);
  }

  @Test
  void itIsToldThatItsTimeIsOverAndIsCarriedOutAllTheSame() throws IOException {
    SimCluster cluster = withThreeRecords(3);
    cluster.broker(3).freeze();
    assertThat(cluster.answer(delete(cluster, 2, 400)))
        .isEqualTo(new Deleted(Errors.REQUEST_TIMED_OUT, 0));
    cluster.broker(3).wake();
    cluster.await(() -> ALL.stream().allMatch(id -> start(cluster, id) == 2));
  }

  @Test
  void aBrokerThatIsFencedHoldsItUpNoLonger() throws IOException {
    SimCluster cluster = withThreeRecords(4);
    cluster.broker(3).freeze();
    Exchange deletion = delete(cluster, 3, LONG_MS);
    cluster.await(() -> !cluster.isUnfenced(3));
    assertThat(cluster.answer(deletion)).isEqualTo(new Deleted(Errors.NONE, 3));
    assertThat(start(cluster, 2)).isEqualTo(3);
  }

  @Test
  void aLeaderThatLeadsNoMoreSaysSo() throws IOException {
    SimCluster cluster = withThreeRecords(5);
    cluster.broker(3).freeze();
    Exchange deletion = delete(cluster, 3, LONG_MS);
    cluster.await(() -> start(cluster, 2) == 3);
    cluster.reassign("t", List.of(2, 3));
    assertThat(cluster.answer(deletion)).isEqualTo(new Deleted(Errors.NOT_LEADER_OR_FOLLOWER, -1));
  }
}
