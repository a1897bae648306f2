package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Clients that ask the wrong broker are told the right one (KIP-951). */
class CurrentLeadersTest {
  private static final List<Integer> ALL = List.of(1, 2, 3);
  private static final int NONE = -1;

  /** What an answer says of partition 0's leader, and where the brokers are that it names. */
  private record Told(Errors error, int leader, int epoch, List<String> hosts) {}

  private static Told produce(SimCluster cluster, int broker, String topic, int version) {
    return told(
        cluster.answer(
            cluster.send(
                broker,
                ApiKeys.PRODUCE,
                (short) version,
                SimCluster.produceRequest(topic, -1, 9_000, "a"),
                response -> {
                  ProduceResponseData answer = (ProduceResponseData) response;
                  var part = answer.responses().iterator().next().partitionResponses().get(0);
                  return new Told(
                      Errors.forCode(part.errorCode()),
                      part.currentLeader().leaderId(),
                      part.currentLeader().leaderEpoch(),
                      answer.nodeEndpoints().stream().map(node -> node.host()).toList());
                })));
  }

  private static Told fetch(
      SimCluster cluster, int broker, Uuid topicId, int leaderEpoch, int version) {
    FetchRequestData data =
        new FetchRequestData().setMaxBytes(1 << 20).setMaxWaitMs(0).setSessionEpoch(-1);
    data.topics()
        .add(
            new FetchRequestData.FetchTopic()
                .setTopicId(topicId)
                .setPartitions(
                    List.of(
                        new FetchRequestData.FetchPartition()
                            .setPartition(0)
                            .setCurrentLeaderEpoch(leaderEpoch)
                            .setPartitionMaxBytes(1 << 20))));
    return told(
        cluster.answer(
            cluster.send(
                broker,
                ApiKeys.FETCH,
                (short) version,
                data,
                response -> {
                  FetchResponseData answer = (FetchResponseData) response;
                  var part = answer.responses().get(0).partitions().get(0);
                  return new Told(
                      Errors.forCode(part.errorCode()),
                      part.currentLeader().leaderId(),
                      part.currentLeader().leaderEpoch(),
                      answer.nodeEndpoints().stream().map(node -> node.host()).toList());
                })));
  }

  private static Told told(@Nullable Object answer) {
    assertThat(answer).isInstanceOf(Told.class);
    return (Told) answer;
  }

  @Test
  void aProducerAtAFollowerIsToldTheLeaderAndWhereItIs() throws IOException {
    SimCluster cluster = new SimCluster(1, 3);
    cluster.create("t", ALL);
    cluster.await(() -> cluster.follows(2, "t", 1));
    int epoch = cluster.state("t").leaderEpoch;
    assertThat(produce(cluster, 2, "t", 12))
        .isEqualTo(
            new Told(Errors.NOT_LEADER_OR_FOLLOWER, 1, epoch, List.of(cluster.broker(1).host())));
    assertThat(produce(cluster, 1, "t", 12))
        .isEqualTo(new Told(Errors.NONE, NONE, NONE, List.of()));
    assertThat(produce(cluster, 2, "t", 9))
        .as("an older client has no field for it")
        .isEqualTo(new Told(Errors.NOT_LEADER_OR_FOLLOWER, NONE, NONE, List.of()));
  }

  @Test
  void aConsumerWithAnOldEpochIsToldTheNewOne() throws IOException {
    SimCluster cluster = new SimCluster(3, 3);
    cluster.create("t", ALL);
    cluster.await(() -> cluster.follows(2, "t", 1));
    Uuid topicId = cluster.topicId("t");
    int oldEpoch = cluster.state("t").leaderEpoch;
    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, "t"));
    int epoch = cluster.state("t").leaderEpoch;
    cluster.broker(1).start();
    cluster.await(() -> cluster.follows(1, "t", 2));
    Told fenced = new Told(Errors.FENCED_LEADER_EPOCH, 2, epoch, List.of(cluster.broker(2).host()));
    assertThat(fetch(cluster, 1, topicId, oldEpoch, 17)).isEqualTo(fenced);
    assertThat(fetch(cluster, 1, topicId, oldEpoch, 15))
        .as("an older client has no field for it")
        .isEqualTo(new Told(Errors.FENCED_LEADER_EPOCH, NONE, NONE, List.of()));
  }
}
