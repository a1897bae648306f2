package dev.tidemark.sim;

import static dev.tidemark.sim.ReplicaStage.ALL;
import static dev.tidemark.sim.ReplicaStage.LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.junit.jupiter.api.Test;

/** Whole brokers refuse what is stamped with an epoch that is not theirs, and change nothing. */
class FencingOnBrokersTest {
  private static final long SESSION_MS = 9_000;
  private static final int OLD = 0;
  private static final int CURRENT = 1;
  private static final int UNKNOWN = 2;

  /** Broker 2 leads in epoch 1; broker 1, which led in epoch 0, is back and in sync. */
  private static ReplicaStage afterAPromotion() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 2);
    ReplicaStage.Write a = stage.produce(1, ALL, "a");
    stage.cluster.await("the answer", () -> !a.isPending());
    stage.kill(1);
    stage.awaitLeader(2, CURRENT);
    stage.cluster.node(1).start();
    stage.cluster.awaitReady();
    stage.cluster.await("all to be in sync", () -> stage.isr().equals(List.of(1, 2, 3)));
    return stage;
  }

  @Test
  void requestsOfAnotherEpochAreRefusedByTheLeader() throws IOException {
    ReplicaStage stage = afterAPromotion();

    assertThat(stage.read(2, 0, 1000, OLD).error()).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    assertThat(stage.read(2, 0, 1000, CURRENT).values()).containsExactly("a");
    assertThat(stage.read(2, 0, 1000, UNKNOWN).error()).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
    assertThat(latest(stage, 2, OLD)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    assertThat(latest(stage, 2, CURRENT)).isEqualTo(Errors.NONE);
    assertThat(latest(stage, 2, UNKNOWN)).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
    assertThat(endOfEpoch(stage, 2, OLD)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    assertThat(endOfEpoch(stage, 2, CURRENT)).isEqualTo(Errors.NONE);
    assertThat(endOfEpoch(stage, 2, UNKNOWN)).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
    // Who leads no more says so: the epoch is checked before the role.
    assertThat(latest(stage, 1, OLD)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    assertThat(latest(stage, 1, CURRENT)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(latest(stage, 1, UNKNOWN)).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
  }

  private static Errors latest(ReplicaStage stage, int broker, int epoch) {
    return Errors.forCode(stage.latest(broker, epoch).errorCode());
  }

  private static Errors endOfEpoch(ReplicaStage stage, int broker, int epoch) {
    OffsetForLeaderEpochRequestData request =
        new OffsetForLeaderEpochRequestData().setReplicaId(-1);
    request
        .topics()
        .add(
            new OffsetForLeaderEpochRequestData.OffsetForLeaderTopic()
                .setTopic(ReplicaStage.TOPIC)
                .setPartitions(
                    List.of(
                        new OffsetForLeaderEpochRequestData.OffsetForLeaderPartition()
                            .setPartition(0)
                            .setCurrentLeaderEpoch(epoch)
                            .setLeaderEpoch(0))));
    OffsetForLeaderEpochResponseData answer =
        stage.cluster.call(
            broker,
            ApiKeys.OFFSET_FOR_LEADER_EPOCH,
            4,
            request,
            OffsetForLeaderEpochResponseData.class);
    return Errors.forCode(answer.topics().iterator().next().partitions().get(0).errorCode());
  }

  @Test
  void aFollowersFetchOfAnotherEpochChangesNothingAtTheLeader() throws IOException {
    ReplicaStage stage = afterAPromotion();
    stage.hold(2, 3);
    stage.hold(2, 1);
    stage.produce(2, LEADER, "b", "c");
    for (int epoch : new int[] {OLD, UNKNOWN}) {
      for (int follower : new int[] {1, 3}) {
        assertThat(fetchAs(stage, 2, follower, 3, epoch))
            .isEqualTo(epoch == OLD ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH);
      }
    }
    assertThat(stage.highWatermark(2)).isEqualTo(1); // nobody has told in epoch 1 that it has 3
    assertThat(stage.read(2, 1).values()).isEmpty();
  }

  /** KAFKA-14078: who asks the wrong broker is told so, and not that its epoch is unknown. */
  @Test
  void aFollowersFetchAtABrokerThatDoesNotLeadIsRefusedByItsEpochFirst() throws IOException {
    ReplicaStage stage = afterAPromotion();
    assertThat(fetchAs(stage, 1, 3, 1, OLD)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    assertThat(fetchAs(stage, 1, 3, 1, CURRENT)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(fetchAs(stage, 1, 3, 1, UNKNOWN)).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
  }

  private static Errors fetchAs(
      ReplicaStage stage, int broker, int follower, long offset, int epoch) {
    FetchRequestData request =
        new FetchRequestData()
            .setReplicaState(
                new FetchRequestData.ReplicaState()
                    .setReplicaId(follower)
                    .setReplicaEpoch(Long.MAX_VALUE))
            .setSessionEpoch(FetchMetadata.INITIAL_EPOCH)
            .setMaxWaitMs(0)
            .setTopics(
                List.of(
                    new FetchRequestData.FetchTopic()
                        .setTopicId(stage.topicId())
                        .setPartitions(
                            List.of(
                                new FetchRequestData.FetchPartition()
                                    .setPartition(0)
                                    .setCurrentLeaderEpoch(epoch)
                                    .setLastFetchedEpoch(CURRENT)
                                    .setFetchOffset(offset)
                                    .setPartitionMaxBytes(1000)))));
    FetchResponseData answer =
        stage.cluster.call(broker, ApiKeys.FETCH, 18, request, FetchResponseData.class);
    return Errors.forCode(answer.responses().get(0).partitions().get(0).errorCode());
  }

  @Test
  void anIsrChangeOfAnOldLeaderChangesNothing() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 1);
    stage.kill(3);
    stage.awaitIsr(List.of(1, 2));
    stage.hold(1, 3);
    stage.hold(2, 3);
    stage.cluster.node(3).start();
    stage.cluster.awaitReady();
    String first = ReplicaStage.host(1);
    String controller = ReplicaStage.host(stage.controller());

    stage.cluster.network.cutOneWay(first, controller);
    stage.passFetch(3, 1); // it has all there is: broker 1 proposes to take it in
    stage.cluster.await("a new leader", () -> stage.partition(2).leaderId() == 2);
    assertThat(stage.cluster.network.heldFrames(first, controller)).isPositive();
    assertThat(stage.partition(2).isrNodes()).containsExactly(2);

    stage.cluster.network.healOneWay(first, controller);
    stage.cluster.scheduler.runForMs(1_000);
    assertThat(stage.partition(2).leaderId()).isEqualTo(2);
    assertThat(stage.partition(2).leaderEpoch()).isEqualTo(CURRENT);
    assertThat(stage.partition(2).isrNodes()).doesNotContain(3);
  }

  @Test
  void aLeaderThatWasFrozenForLongerThanItsSessionAnswersNothingAsLeaderAfterItWakes()
      throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 2);
    ReplicaStage.Write a = stage.produce(1, ALL, "a");
    stage.cluster.await("the answer", () -> !a.isPending());
    stage.cluster.node(1).machine().freeze();
    ReplicaStage.Write all = stage.produce(1, ALL, "b");
    ReplicaStage.Write one = stage.produce(1, LEADER, "c");
    SimulatedCluster.Sent end =
        stage.send(1, ApiKeys.LIST_OFFSETS, 9, ReplicaStage.latestRequest(-1));
    stage.cluster.scheduler.runForMs(SESSION_MS);
    stage.awaitLeader(2, CURRENT);
    ReplicaStage.Write next = stage.produce(2, ALL, "d");
    stage.cluster.await("the answer", () -> !next.isPending());
    assertThat(next.offset()).isEqualTo(1);
    assertThat(all.isPending() && one.isPending() && end.isPending()).isTrue();

    stage.cluster.node(1).machine().wake();
    stage.cluster.await(
        "the answers", () -> !all.isPending() && !one.isPending() && !end.isPending());
    assertThat(all.error()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    assertThat(one.error()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    ListOffsetsResponseData said = (ListOffsetsResponseData) end.answer();
    assertThat(said).isNotNull();
    assertThat(Errors.forCode(said.topics().get(0).partitions().get(0).errorCode()))
        .isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    stage.cluster.await("all to be in sync", () -> stage.partition(2).isrNodes().size() == 3);
    assertThat(stage.log(1)).hasToString("[(0,a), (1,d)]");
  }
}
