package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.Test;

/** Several brokers replicate over the network, elected by the real controller. */
class ReplicatedBrokersTest {
  private static final List<Integer> ALL = List.of(1, 2, 3);

  @Test
  void recordsThatAllHaveAreAcknowledgedAndReadable() throws IOException {
    SimCluster cluster = new SimCluster(1, 3);
    cluster.create("t", ALL, "min.insync.replicas", "2");
    assertThat(cluster.produceAll(1, "t", "a", "b")).isEqualTo(Errors.NONE);
    assertThat(cluster.endOffset(2, "t")).isEqualTo(2);
    assertThat(cluster.endOffset(3, "t")).isEqualTo(2);
    assertThat(cluster.read(1, "t")).containsExactly("a", "b");
    cluster.await(() -> cluster.highWatermark(2, "t") == 2 && cluster.highWatermark(3, "t") == 2);
    assertThat(cluster.isr("t")).containsExactlyElementsOf(ALL);
  }

  @Test
  void whatWasAcknowledgedSurvivesTheLeaderAndItRejoinsByTruncating() throws IOException {
    SimCluster cluster = new SimCluster(2, 3);
    cluster.create("t", ALL, "min.insync.replicas", "2");
    assertThat(cluster.produceAll(1, "t", "a", "b")).isEqualTo(Errors.NONE);
    cluster.cut(1, 2);
    cluster.cut(1, 3);
    var lost = cluster.produce(1, "t", 1, 1000, "only here");
    assertThat(cluster.answer(lost)).isEqualTo(Errors.NONE);
    cluster.broker(1).kill();
    cluster.await(() -> cluster.state("t").leader == 2 && cluster.leads(2, "t"));
    assertThat(cluster.produceAll(2, "t", "c")).isEqualTo(Errors.NONE);
    assertThat(cluster.read(2, "t")).containsExactly("a", "b", "c");
    cluster.heal();
    cluster.broker(1).start();
    cluster.await(() -> cluster.isr("t").size() == 3);
    cluster.await(() -> cluster.highWatermark(1, "t") == 3);
    assertThat(cluster.read(1, "t")).containsExactly("a", "b", "c");
    assertThat(cluster.broker(1).failures()).isEmpty();
  }

  @Test
  void tooFewInSyncReplicasRefuseAcksAllAndReturnWhenTheyAreBack() throws IOException {
    SimCluster cluster = new SimCluster(3, 3);
    cluster.create("t", ALL, "min.insync.replicas", "3");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.broker(3).freeze();
    var waiting = cluster.produce(1, "t", -1, 50_000, "b");
    assertThat(cluster.answer(waiting)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    assertThat(cluster.isr("t")).containsExactly(1, 2);
    assertThat(cluster.produceAll(1, "t", "c")).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
    assertThat(cluster.read(1, "t")).containsExactly("a");
    cluster.broker(3).wake();
    cluster.await(() -> cluster.isr("t").size() == 3);
    cluster.await(() -> cluster.highWatermark(1, "t") == 2);
    assertThat(cluster.produceAll(1, "t", "d")).isEqualTo(Errors.NONE);
    assertThat(cluster.read(1, "t")).containsExactly("a", "b", "d");
  }

  @Test
  void theFirstBatchOfAProducerIsNotOvertakenWhenInSyncReplicasWereTooFewForItOnly()
      throws IOException {
    SimCluster cluster = new SimCluster(17, 3);
    cluster.create("t", ALL, "min.insync.replicas", "3");
    cluster.broker(3).freeze();
    var waiting = cluster.produce(1, "t", -1, 50_000, "a"); // the ISR shrinks for it
    assertThat(cluster.answer(waiting)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    assertThat(cluster.produceNext(1, "t", 0, "b")).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
    cluster.broker(3).wake();
    cluster.await(() -> cluster.isr("t").size() == 3);
    cluster.await(() -> cluster.highWatermark(1, "t") == 1);
    assertThat(cluster.produceNext(1, "t", 1, "c")).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(cluster.produceNext(1, "t", 0, "b")).isEqualTo(Errors.NONE);
    assertThat(cluster.produceNext(1, "t", 1, "c")).isEqualTo(Errors.NONE);
    assertThat(cluster.read(1, "t")).containsExactly("a", "b", "c");
  }

  @Test
  void aLeaderWhoseDiskIsFullHandsOverAtOnceAndFollowsOnceThereIsRoom() throws IOException {
    SimCluster cluster = new SimCluster(11, 3);
    cluster.create("t", ALL, "min.insync.replicas", "2");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.broker(1).faults().capacityBytes(0);
    assertThat(cluster.produceAll(1, "t", "b")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    cluster.await(() -> cluster.leads(2, "t"));
    assertThat(cluster.produceAll(2, "t", "b")).isEqualTo(Errors.NONE);
    assertThat(cluster.isr("t")).containsExactly(2, 3);
    cluster.broker(1).faults().capacityBytes(Long.MAX_VALUE);
    cluster.await(() -> cluster.isr("t").size() == 3);
    cluster.await(() -> cluster.highWatermark(1, "t") == 2);
    assertThat(cluster.read(1, "t")).containsExactly("a", "b");
  }

  /** As the balancer does: the preferred replica is in sync until it has lagged for a while. */
  @Test
  void aReplicaThatGetsTheLeadWhileItsDiskIsFullHandsOverEachTime() throws IOException {
    SimCluster cluster = new SimCluster(12, 3);
    cluster.create("t", ALL, "min.insync.replicas", "2");
    for (int time = 0; time < 2; time++) {
      cluster.await(() -> cluster.leads(1, "t"));
      cluster.broker(1).faults().capacityBytes(0);
      assertThat(cluster.produceAll(1, "t", "refused")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
      cluster.await(() -> cluster.leads(2, "t"));
      cluster.broker(1).faults().capacityBytes(Long.MAX_VALUE);
      cluster.await(() -> cluster.isr("t").size() == 3);

      cluster.broker(1).faults().capacityBytes(0);
      var written = cluster.produce(2, "t", 1, 1_000, "a");
      assertThat(cluster.answer(written)).isEqualTo(Errors.NONE);
      cluster.runForMs(200);
      assertThat(cluster.isr("t")).contains(1);
      cluster.elect("t");
      cluster.await(() -> !cluster.isr("t").contains(1));
      cluster.await(() -> cluster.leads(2, "t"));
      assertThat(cluster.produceAll(2, "t", "b")).isEqualTo(Errors.NONE);
      cluster.broker(1).faults().capacityBytes(Long.MAX_VALUE);
      cluster.await(() -> cluster.isr("t").size() == 3);
      cluster.elect("t");
    }
  }

  @Test
  void aProduceThatNobodyAcknowledgesInTimeIsToldSo() throws IOException {
    SimCluster cluster = new SimCluster(4, 2);
    cluster.create("t", List.of(1, 2), "min.insync.replicas", "1");
    cluster.broker(2).freeze();
    var sent = cluster.produce(1, "t", -1, 100, "a");
    assertThat(cluster.answer(sent)).isEqualTo(Errors.REQUEST_TIMED_OUT);
    cluster.await(() -> cluster.isr("t").size() == 1);
    cluster.await(() -> cluster.highWatermark(1, "t") == 1);
  }

  @Test
  void consumersReadFromAFollowerUpToItsHighWatermark() throws IOException {
    SimCluster cluster = new SimCluster(5, 2);
    cluster.create("t", List.of(1, 2));
    assertThat(cluster.produceAll(1, "t", "a", "b")).isEqualTo(Errors.NONE);
    cluster.await(() -> cluster.highWatermark(2, "t") == 2);
    assertThat(cluster.read(2, "t")).containsExactly("a", "b");
    var beyond = (SimCluster.Fetched) cluster.answer(cluster.fetch(2, "t", 9, 0, ""));
    assertThat(beyond.error()).isEqualTo(Errors.OFFSET_NOT_AVAILABLE);
    var waits = cluster.fetch(2, "t", 2, 10_000, "");
    cluster.runForMs(50);
    assertThat(waits.isAnswered()).isFalse();
    assertThat(cluster.produceAll(1, "t", "c")).isEqualTo(Errors.NONE);
    cluster.runForMs(200);
    assertThat(waits.isAnswered()).as("long before its time is over").isTrue();
    var found = (SimCluster.Fetched) cluster.answer(waits);
    assertThat(found.values()).containsExactly("c");
  }

  @Test
  void onlyTheLeaderTakesRecordsAndTellsOffsets() throws IOException {
    SimCluster cluster = new SimCluster(6, 3);
    cluster.create("t", List.of(1, 2));
    assertThat(cluster.produceAll(2, "t", "a")).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(cluster.produceAll(3, "t", "a")).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(cluster.produceAll(3, "none", "a")).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(cluster.offset(2, "t", ListOffsetsRequest.LATEST_TIMESTAMP))
        .isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(cluster.offset(1, "t", ListOffsetsRequest.LATEST_TIMESTAMP)).isEqualTo(0L);
  }

  private static SimCluster thatKnowsRacks(long seed) throws IOException {
    return new SimCluster(
        seed,
        3,
        Map.of(
            "replica.selector.class", "org.apache.kafka.common.replica.RackAwareReplicaSelector"));
  }

  @Test
  void consumersAreSentToAReplicaInTheirRack() throws IOException {
    SimCluster cluster = thatKnowsRacks(7);
    cluster.create("t", ALL);
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    var sent = (SimCluster.Fetched) cluster.answer(cluster.fetch(1, "t", 0, 0, "rack-3"));
    assertThat(sent.preferredReplica()).isEqualTo(3);
    assertThat(sent.values()).isEmpty();
    var here = (SimCluster.Fetched) cluster.answer(cluster.fetch(1, "t", 0, 0, "rack-1"));
    assertThat(here.preferredReplica()).isEqualTo(-1);
    assertThat(here.values()).containsExactly("a");
    var nowhere = (SimCluster.Fetched) cluster.answer(cluster.fetch(1, "t", 0, 0, "elsewhere"));
    assertThat(nowhere.values()).containsExactly("a");
  }

  @Test
  void aConsumerAtTheEndIsSentElsewhereAtOnce() throws IOException {
    // KAFKA-13767
    SimCluster cluster = thatKnowsRacks(13);
    cluster.create("t", ALL);
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    var sent = cluster.fetch(1, "t", 1, 10_000, "rack-3");
    cluster.runForMs(50);
    assertThat(sent.isAnswered()).isTrue();
    var answer = (SimCluster.Fetched) cluster.answer(sent);
    assertThat(answer.preferredReplica()).isEqualTo(3);
  }

  @Test
  void onlyTheLeaderSendsConsumersElsewhereAndOnlyToWhoIsInSync() throws IOException {
    // KAFKA-14372, KAFKA-13778
    SimCluster cluster = thatKnowsRacks(14);
    cluster.create("t", ALL, "min.insync.replicas", "1");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    cluster.await(() -> cluster.highWatermark(2, "t") == 1);
    var follower = (SimCluster.Fetched) cluster.answer(cluster.fetch(2, "t", 0, 0, "rack-3"));
    assertThat(follower.preferredReplica()).isEqualTo(-1);
    assertThat(follower.values()).containsExactly("a");

    cluster.cut(1, 3);
    var sent = cluster.produce(1, "t", -1, 50_000, "b");
    cluster.await(() -> cluster.isr("t").equals(List.of(1, 2)));
    assertThat(cluster.answer(sent)).isEqualTo(Errors.NONE);
    assertThat(cluster.isUnfenced(3)).isTrue();
    var leader = (SimCluster.Fetched) cluster.answer(cluster.fetch(1, "t", 0, 0, "rack-3"));
    assertThat(leader.preferredReplica()).as("3 has offset 0, and lags").isEqualTo(-1);
    assertThat(leader.values()).containsExactly("a", "b");
  }

  @Test
  void aSlowFollowerLeavesTheIsrAndComesBack() throws IOException {
    SimCluster cluster = new SimCluster(8, 3);
    cluster.create("t", ALL, "min.insync.replicas", "1");
    cluster.cut(1, 3);
    var sent = cluster.produce(1, "t", -1, 50_000, "a");
    cluster.await(() -> cluster.isr("t").equals(List.of(1, 2)));
    assertThat(cluster.answer(sent)).isEqualTo(Errors.NONE);
    assertThat(cluster.isUnfenced(3)).isTrue();
    cluster.heal();
    cluster.await(() -> cluster.isr("t").size() == 3);
    assertThat(cluster.endOffset(3, "t")).isEqualTo(1);
  }

  /** KIP-207. */
  @Test
  void aNewLeaderTellsNoEndUntilItKnowsAllThatWasCommitted() throws IOException {
    SimCluster cluster = new SimCluster(10, 3);
    cluster.create("t", ALL, "min.insync.replicas", "2");
    assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
    assertThat(cluster.highWatermark(2, "t")).isZero();
    cluster.broker(3).freeze();
    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, "t"));
    assertThat(cluster.offset(2, "t", ListOffsetsRequest.LATEST_TIMESTAMP))
        .isEqualTo(Errors.OFFSET_NOT_AVAILABLE);
    assertThat(cluster.offset(2, "t", ListOffsetsRequest.EARLIEST_TIMESTAMP)).isEqualTo(0L);
    cluster.broker(3).wake();
    cluster.await(() -> cluster.highWatermark(2, "t") == 1);
    assertThat(cluster.offset(2, "t", ListOffsetsRequest.LATEST_TIMESTAMP)).isEqualTo(1L);
  }

  @Test
  void theSameSeedGivesTheSameTrace() throws IOException {
    List<Long> hashes = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      SimCluster cluster = new SimCluster(9, 3);
      cluster.create("t", ALL, "min.insync.replicas", "2");
      assertThat(cluster.produceAll(1, "t", "a")).isEqualTo(Errors.NONE);
      cluster.broker(1).kill();
      cluster.await(() -> cluster.leads(2, "t") || cluster.leads(3, "t"));
      cluster.broker(1).start();
      cluster.await(() -> cluster.isr("t").size() == 3);
      hashes.add(cluster.traceHash());
    }
    assertThat(hashes.get(1)).isEqualTo(hashes.get(0));
  }
}
