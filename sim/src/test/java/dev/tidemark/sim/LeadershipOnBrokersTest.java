package dev.tidemark.sim;

import static dev.tidemark.sim.ReplicaStage.ALL;
import static dev.tidemark.sim.ReplicaStage.LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/**
 * At most one whole broker behaves as leader at a time, and what a change of leaders costs is
 * known.
 */
class LeadershipOnBrokersTest {
  private static final long SESSION_MS = 9_000;
  private static final byte PREFERRED = 0;
  private static final long STEP_MS = 100;

  /** KAFKA-15489: clients still reach it, and so they would be told what is not so. */
  @Test
  void aLeaderThatIsCutOffFromAllOthersGivesUpBeforeAnotherOneLeads() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 2);
    ReplicaStage.Write a = stage.produce(1, ALL, "a");
    stage.cluster.await("the answer", () -> !a.isPending());
    for (int other = 2; other <= stage.controller(); other++) {
      stage.cluster.network.cut(ReplicaStage.host(1), ReplicaStage.host(other));
    }
    long cutMs = stage.nowMs();
    List<ReplicaStage.Write> all = new ArrayList<>();
    long lastOldMs = 0;
    long firstNewMs = 0;
    while (stage.nowMs() < cutMs + 2 * SESSION_MS) {
      all.add(stage.produce(1, ALL, "lost"));
      if (leads(stage, 1)) {
        lastOldMs = stage.nowMs();
      }
      if (firstNewMs == 0 && leads(stage, 2)) {
        firstNewMs = stage.nowMs();
      }
      stage.cluster.scheduler.runForMs(STEP_MS);
    }

    assertThat(lastOldMs).isGreaterThan(cutMs).isLessThan(cutMs + SESSION_MS);
    assertThat(firstNewMs).isGreaterThan(lastOldMs);
    ReplicaStage.Write b = stage.produce(2, ALL, "b");
    stage.cluster.await("the answer", () -> !b.isPending());
    assertThat(b.offset()).isEqualTo(1);
    stage.cluster.network.heal();
    stage.cluster.await("all to be in sync", () -> stage.partition(2).isrNodes().size() == 3);
    stage.cluster.await("the ends", () -> all.stream().noneMatch(ReplicaStage.Write::isPending));
    assertThat(all).noneMatch(write -> write.isAnswered() && write.error() == Errors.NONE);
    for (int broker = 1; broker <= 3; broker++) {
      assertThat(stage.log(broker)).hasToString("[(0,a), (1,b)]");
    }
  }

  private static boolean leads(ReplicaStage stage, int broker) {
    return stage.latest(broker, -1).errorCode() == Errors.NONE.code();
  }

  /** KAFKA-20554. */
  @Test
  void aPlannedMoveReportsWhichRecordsOfAcksOneItCutAndCutsNoneOfAcksAll() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 2);
    ReplicaStage.Write a = stage.produce(1, ALL, "a");
    stage.cluster.await("the answer", () -> !a.isPending());
    stage.kill(1);
    stage.awaitLeader(2, 1);
    stage.cluster.node(1).start();
    stage.cluster.awaitReady();
    stage.cluster.await("all to be in sync", () -> stage.isr().equals(List.of(1, 2, 3)));
    stage.hold(2, 1);
    stage.hold(2, 3);
    ReplicaStage.Write b = stage.produce(2, LEADER, "b");
    ReplicaStage.Write c = stage.produce(2, LEADER, "c");
    ReplicaStage.Write d = stage.produce(2, ALL, "d");
    assertThat(List.of(b.offset(), c.offset())).containsExactly(1L, 2L);
    assertThat(d.isPending()).isTrue();

    assertThat(electPreferred(stage)).isEqualTo(Errors.NONE);
    assertThat(leads(stage, 2)).isFalse();
    assertThat(d.error()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    stage.awaitLeader(1, 3); // 2 was the epoch without a leader
    stage.letGo(2, 1);
    stage.letGo(2, 3);
    stage.cluster.await(
        "the cut", () -> stage.cluster.node(2).isReady() && sizeOfLog(stage, 2) == 1);

    assertThat(stage.lostTails(2)).containsExactly(List.of(1L, 3L, 1L, 1L, 3L, 0L));
    assertThat(stage.lostTails(1)).isEmpty();
    for (int broker = 1; broker <= 3; broker++) {
      assertThat(stage.log(broker)).hasToString("[(0,a)]");
    }
  }

  /** KAFKA-20554. */
  @Test
  void aControlledStopReportsWhichRecordsOfAcksOneItCutAndCutsNoneOfAcksAll() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 2);
    ReplicaStage.Write a = stage.produce(1, ALL, "a");
    stage.cluster.await("the answer", () -> !a.isPending());
    stage.hold(1, 2);
    stage.hold(1, 3);
    ReplicaStage.Write b = stage.produce(1, LEADER, "b");
    ReplicaStage.Write c = stage.produce(1, LEADER, "c");
    ReplicaStage.Write d = stage.produce(1, ALL, "d");
    assertThat(List.of(b.offset(), c.offset())).containsExactly(1L, 2L);
    assertThat(d.isPending()).isTrue();

    stage.cluster.node(1).stop();
    stage.cluster.await("another leader", () -> stage.partition(2).leaderId() == 2);
    assertThat(d.error()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    stage.cluster.await("the stop", () -> stage.cluster.node(1).isStopped());
    stage.letGo(1, 2);
    stage.letGo(1, 3);
    stage.cluster.node(1).start();
    stage.cluster.awaitReady();
    stage.awaitIsr(List.of(1, 2, 3));

    assertThat(stage.lostTails(1)).containsExactly(List.of(1L, 3L, 0L, 0L, 3L, 0L));
    assertThat(stage.lostTails(2)).isEmpty();
    for (int broker = 1; broker <= 3; broker++) {
      assertThat(stage.log(broker)).hasToString("[(0,a)]");
    }
    assertThat(stage.cluster.failures()).isEmpty();
  }

  private static long sizeOfLog(ReplicaStage stage, int broker) {
    try {
      return stage.end(broker);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static Errors electPreferred(ReplicaStage stage) {
    ElectLeadersRequestData request =
        new ElectLeadersRequestData().setElectionType(PREFERRED).setTimeoutMs(20_000);
    request
        .topicPartitions()
        .add(
            new ElectLeadersRequestData.TopicPartitions()
                .setTopic(ReplicaStage.TOPIC)
                .setPartitions(List.of(0)));
    ElectLeadersResponseData answer =
        stage.cluster.call(3, ApiKeys.ELECT_LEADERS, 2, request, ElectLeadersResponseData.class);
    return Errors.forCode(
        answer.replicaElectionResults().get(0).partitionResult().get(0).errorCode());
  }
}
