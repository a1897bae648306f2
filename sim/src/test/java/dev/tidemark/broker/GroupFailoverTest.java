package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Groups move with the leadership of their offsets partition. */
class GroupFailoverTest {
  private static final int MAX_TRIES = 200;
  private static final String OFFSETS = Topic.GROUP_METADATA_TOPIC_NAME;

  private static Errors commit(SimCluster cluster, int broker, long offset) {
    return (Errors) Objects.requireNonNull(cluster.answer(sendCommit(cluster, broker, offset)));
  }

  private static SimCluster.Exchange sendCommit(SimCluster cluster, int broker, long offset) {
    OffsetCommitRequestData request =
        new OffsetCommitRequestData()
            .setGroupId("g")
            .setTopics(
                List.of(
                    new OffsetCommitRequestTopic()
                        .setName("t")
                        .setPartitions(
                            List.of(
                                new OffsetCommitRequestPartition()
                                    .setPartitionIndex(0)
                                    .setCommittedOffset(offset)))));
    return cluster.send(
        broker,
        ApiKeys.OFFSET_COMMIT,
        (short) 8,
        request,
        response ->
            Errors.forCode(
                ((OffsetCommitResponseData) response)
                    .topics()
                    .get(0)
                    .partitions()
                    .get(0)
                    .errorCode()));
  }

  /** The offset, or the error. */
  private static Object committed(SimCluster cluster, int broker) {
    OffsetFetchRequestData request =
        new OffsetFetchRequestData()
            .setGroupId("g")
            .setTopics(
                List.of(
                    new OffsetFetchRequestTopic().setName("t").setPartitionIndexes(List.of(0))));
    return Objects.requireNonNull(
        cluster.answer(
            cluster.send(
                broker,
                ApiKeys.OFFSET_FETCH,
                (short) 7,
                request,
                response -> {
                  OffsetFetchResponseData answer = (OffsetFetchResponseData) response;
                  return answer.errorCode() == Errors.NONE.code()
                      ? (Object) answer.topics().get(0).partitions().get(0).committedOffset()
                      : Errors.forCode(answer.errorCode());
                })));
  }

  private static void commitOnceLoaded(SimCluster cluster, int broker, long offset) {
    Errors error = Errors.COORDINATOR_LOAD_IN_PROGRESS;
    for (int i = 0; i < MAX_TRIES && error == Errors.COORDINATOR_LOAD_IN_PROGRESS; i++) {
      error = commit(cluster, broker, offset);
      cluster.runForMs(20);
    }
    assertThat(error).isEqualTo(Errors.NONE);
  }

  private static Object committedOnceLoaded(SimCluster cluster, int broker) {
    Object answer = Errors.COORDINATOR_LOAD_IN_PROGRESS;
    for (int i = 0; i < MAX_TRIES && answer == Errors.COORDINATOR_LOAD_IN_PROGRESS; i++) {
      answer = committed(cluster, broker);
      cluster.runForMs(20);
    }
    return answer;
  }

  @Test
  void whatAGroupCommittedIsKnownToTheNextCoordinatorAndTheLastOneGivesItUp() throws IOException {
    SimCluster cluster = new SimCluster(1, 3);
    cluster.create("t", List.of(1, 2, 3));
    cluster.create(OFFSETS, List.of(1, 2, 3), "min.insync.replicas", "2");
    commitOnceLoaded(cluster, 1, 41);
    assertThat(commit(cluster, 2, 7)).isEqualTo(Errors.NOT_COORDINATOR);

    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, OFFSETS));
    assertThat(committedOnceLoaded(cluster, 2)).isEqualTo(41L);
    commitOnceLoaded(cluster, 2, 42);

    cluster.broker(1).start();
    cluster.await(() -> cluster.isr(OFFSETS).size() == 3);
    assertThat(commit(cluster, 1, 9)).isEqualTo(Errors.NOT_COORDINATOR);
    cluster.elect(OFFSETS);
    cluster.await(() -> cluster.leads(1, OFFSETS));
    assertThat(committedOnceLoaded(cluster, 1)).isEqualTo(42L);
    assertThat(commit(cluster, 2, 9)).isEqualTo(Errors.NOT_COORDINATOR);
  }

  @Test
  void aCommitThatIsUnderWayWhenTheLeadershipIsLostFailsAndIsUnknownToTheNextCoordinator()
      throws IOException {
    SimCluster cluster = new SimCluster(2, 3);
    cluster.create("t", List.of(1, 2, 3));
    cluster.create(OFFSETS, List.of(1, 2, 3), "min.insync.replicas", "2");
    commitOnceLoaded(cluster, 1, 41);
    cluster.broker(1).kill();
    cluster.await(() -> cluster.leads(2, OFFSETS));
    commitOnceLoaded(cluster, 2, 42);
    cluster.broker(1).start();
    cluster.await(() -> cluster.isr(OFFSETS).size() == 3);

    cluster.cut(2, 1);
    cluster.cut(2, 3);
    SimCluster.Exchange underWay = sendCommit(cluster, 2, 43);
    cluster.runForMs(50);
    assertThat(underWay.isAnswered()).isFalse();
    cluster.elect(OFFSETS);

    assertThat(cluster.answer(underWay)).isEqualTo(Errors.NOT_COORDINATOR);
    cluster.await(() -> cluster.leads(1, OFFSETS));
    cluster.heal();
    assertThat(committedOnceLoaded(cluster, 1)).isEqualTo(42L);
  }
}
