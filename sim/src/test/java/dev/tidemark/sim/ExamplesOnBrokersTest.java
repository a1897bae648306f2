package dev.tidemark.sim;

import static dev.tidemark.sim.ReplicaStage.ALL;
import static dev.tidemark.sim.ReplicaStage.LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Small stories of replication on whole brokers, frame by frame, that hold to the digit. */
class ExamplesOnBrokersTest {
  private static final short UNANSWERED = 0;

  // --- the safe prefix and the lost tail ---

  @Test
  void theSafePrefixSurvivesAndTheRestIsReportedAsLostTail() throws IOException {
    ReplicaStage stage = ReplicaStage.of(2, 2);
    stage.hold(1, 2);
    ReplicaStage.Write safe = stage.produce(1, ALL, "safe");
    assertThat(safe.isPending()).isTrue();
    assertThat(stage.end(1)).isEqualTo(1);
    assertThat(stage.end(2)).isZero();
    assertThat(stage.highWatermark(1)).isZero();
    assertThat(stage.read(1, 0).values()).isEmpty();

    stage.passAnswer(1, 2); // to the fetch that waited
    assertThat(stage.end(2)).isEqualTo(1);
    assertThat(stage.highWatermark(1)).isZero();
    assertThat(safe.isPending()).isTrue();
    stage.passFetch(2, 1);
    assertThat(stage.highWatermark(1)).isEqualTo(1);
    assertThat(safe.error()).isEqualTo(Errors.NONE);
    assertThat(safe.offset()).isZero();
    assertThat(stage.highWatermark(2)).isZero();
    stage.passAnswer(1, 2);
    assertThat(stage.highWatermark(2)).isEqualTo(1);

    ReplicaStage.Write atRisk = stage.produce(1, LEADER, "at-risk");
    assertThat(atRisk.error()).isEqualTo(Errors.NONE);
    assertThat(atRisk.offset()).isEqualTo(1);
    assertThat(stage.latest(1, -1).offset()).isEqualTo(1);
    assertThat(stage.read(1, 0).values()).containsExactly("safe");
    assertThat(stage.read(1, 1).values()).isEmpty();

    stage.kill(1);
    stage.awaitLeader(2, 1);
    assertThat(stage.read(2, 0).values()).containsExactly("safe");
    stage.letGo(1, 2);
    stage.cluster.node(1).start();
    stage.cluster.awaitReady();
    stage.awaitIsr(List.of(1, 2));
    assertThat(stage.log(1)).hasToString("[(0,safe)]");
    assertThat(stage.lostTails(1)).containsExactly(tail(1, 1, 0, 0, 1, 0));
    assertThat(stage.lostTails(2)).isEmpty();
  }

  private static List<Long> tail(
      long firstOffset,
      long lastOffset,
      long firstEpoch,
      long lastEpoch,
      long records,
      long belowHighWatermark) {
    return List.of(firstOffset, lastOffset, firstEpoch, lastEpoch, records, belowHighWatermark);
  }

  @Test
  void aNewLeaderWhoseHighWatermarkIsBehindTellsNoEndUntilItsIsrIsBack() throws IOException {
    ReplicaStage stage = ReplicaStage.of(2, 2);
    stage.hold(1, 2);
    ReplicaStage.Write safe = stage.produce(1, ALL, "safe");
    stage.passAnswer(1, 2);
    stage.passFetch(2, 1);
    assertThat(safe.error()).isEqualTo(Errors.NONE);

    stage.kill(1); // and the answer with high watermark 1 never arrives
    stage.awaitLeader(2, 1);
    assertThat(stage.end(2)).isEqualTo(1);
    assertThat(stage.highWatermark(2)).isZero();
    assertThat(stage.read(2, 0).values()).isEmpty();
    assertThat(Errors.forCode(stage.latest(2, -1).errorCode()))
        .isEqualTo(Errors.OFFSET_NOT_AVAILABLE);

    stage.letGo(1, 2);
    stage.cluster.node(1).start();
    stage.cluster.awaitReady();
    stage.awaitIsr(List.of(1, 2));
    assertThat(stage.latest(2, -1).offset()).isEqualTo(1);
    assertThat(stage.read(2, 0).values()).containsExactly("safe");
    assertThat(stage.lostTails(1)).isEmpty();
  }

  @Test
  void withOneReplicaARecordIsReadableAtOnce() throws IOException {
    ReplicaStage stage = ReplicaStage.of(1, 2);
    ReplicaStage.Write unanswered = stage.produce(1, UNANSWERED, "a");
    assertThat(unanswered.isPending()).isTrue();
    assertThat(stage.end(1)).isEqualTo(1);
    assertThat(stage.read(1, 0).values()).containsExactly("a");
  }

  @Test
  void acksAllWithTooFewInSyncWritesNothing() throws IOException {
    ReplicaStage stage = ReplicaStage.of(2, 2);
    stage.kill(2);
    stage.awaitIsr(List.of(1));
    assertThat(stage.produce(1, ALL, "a").error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
    assertThat(stage.end(1)).isZero();
  }

  @Test
  void anIsrThatShrinksMeanwhileFailsTheProduceAndARetryIsStoredOnce() throws IOException {
    ReplicaStage stage = ReplicaStage.of(2, 2);
    stage.hold(1, 2);
    MemoryRecords once =
        MemoryRecords.withIdempotentRecords(
            Compression.NONE,
            9,
            (short) 0,
            0,
            new SimpleRecord(stage.nowMs(), "once".getBytes(StandardCharsets.UTF_8)));
    ReplicaStage.Write first = stage.produce(1, ALL, once);
    assertThat(first.isPending()).isTrue();
    stage.kill(2);
    stage.awaitIsr(List.of(1));
    assertThat(first.error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    assertThat(stage.log(1)).hasToString("[(0,once)]");

    stage.letGo(1, 2);
    stage.cluster.node(2).start();
    stage.cluster.awaitReady();
    stage.awaitIsr(List.of(1, 2));
    ReplicaStage.Write retry = stage.produce(1, ALL, once);
    stage.cluster.await("the answer", () -> !retry.isPending());
    assertThat(retry.error()).isEqualTo(Errors.NONE);
    assertThat(retry.offset()).isZero();
    assertThat(stage.log(1)).hasToString("[(0,once)]");
    assertThat(stage.log(2)).hasToString("[(0,once)]");
  }

  // --- a failover and the truncation it forces ---

  @Test
  void aFailoverKeepsWhatTheNewLeaderHasAndCutsTheRest() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 2);
    stage.hold(1, 2);
    stage.hold(1, 3);
    stage.hold(2, 3);
    for (String value : List.of("a", "b", "c")) {
      stage.produce(1, LEADER, value);
    }
    for (int follower = 2; follower <= 3; follower++) {
      stage.passAnswer(1, follower); // a, to the fetch that waited
      stage.passFetch(follower, 1);
      stage.passAnswer(1, follower); // b and c
      stage.passFetch(follower, 1); // tells that it has 3
    }
    assertThat(stage.highWatermark(1)).isEqualTo(3);
    stage.produce(1, LEADER, "d"); // is on its way to both
    stage.passAnswer(1, 2);
    stage.produce(1, LEADER, "e");
    assertThat(stage.end(1)).isEqualTo(5);
    assertThat(stage.end(2)).isEqualTo(4);
    assertThat(stage.end(3)).isEqualTo(3);
    assertThat(stage.highWatermark(1)).isEqualTo(3);

    stage.kill(1);
    stage.awaitLeader(2, 1);
    ReplicaStage.Write x = stage.produce(2, LEADER, "x");
    assertThat(x.offset()).isEqualTo(4);
    assertThat(stage.highWatermark(2)).isEqualTo(3);
    stage.passFetch(3, 2);
    stage.passAnswer(2, 3);
    assertThat(stage.log(3)).hasToString("[(0,a), (0,b), (0,c), (0,d), (1,x)]");
    assertThat(stage.highWatermark(2)).isEqualTo(3);
    stage.passFetch(3, 2); // at 5
    assertThat(stage.highWatermark(2)).isEqualTo(5);
    assertThat(stage.isr()).containsExactly(2, 3);

    stage.cluster.node(1).start();
    stage.cluster.awaitReady();
    stage.passFetch(1, 2);
    assertThat(stage.end(1)).isEqualTo(5);
    stage.passAnswer(2, 1); // epoch 0 ended at 4
    assertThat(stage.log(1)).hasToString("[(0,a), (0,b), (0,c), (0,d)]");
    assertThat(stage.lostTails(1)).containsExactly(tail(4, 4, 0, 0, 1, 0));
    stage.passFetch(1, 2);
    stage.passAnswer(2, 1);
    assertThat(stage.log(1)).hasToString("[(0,a), (0,b), (0,c), (0,d), (1,x)]");
    assertThat(stage.isr()).containsExactly(2, 3);
    stage.passFetch(1, 2);
    stage.awaitIsr(List.of(1, 2, 3));
    assertThat(stage.cluster.failures()).isEmpty();
  }

  // --- how the high watermark travels ---

  @Test
  void theHighWatermarkTravelsOneRoundTripBehind() throws IOException {
    ReplicaStage stage = ReplicaStage.of(2, 1);
    ReplicaStage.Write hundred = stage.produce(1, ALL, "v ".repeat(100).split(" ")); // one batch
    stage.cluster.await("the answer", () -> !hundred.isPending());
    stage.cluster.await("its way back", () -> stage.highWatermark(2) == 100);
    stage.hold(1, 2);
    assertThat(stage.highWatermark(1)).isEqualTo(100);
    assertThat(stage.end(2)).isEqualTo(100);

    stage.produce(1, LEADER, "a", "b", "c", "d", "e");
    assertThat(stage.end(1)).isEqualTo(105);
    assertThat(stage.highWatermark(1)).isEqualTo(100);
    stage.passAnswer(1, 2); // to fetch 1, which asked for offset 100
    assertThat(stage.end(2)).isEqualTo(105);
    assertThat(stage.highWatermark(2)).isEqualTo(100);
    assertThat(stage.highWatermark(1)).isEqualTo(100);
    stage.passFetch(2, 1);
    assertThat(stage.highWatermark(1)).isEqualTo(105);
    assertThat(stage.highWatermark(2)).isEqualTo(100);
    stage.passAnswer(1, 2);
    assertThat(stage.highWatermark(2)).isEqualTo(105);
  }

  @Test
  void aFollowerThatStopsFetchingHoldsTheHighWatermarkNoLongerThanTheLagTime() throws IOException {
    long lagMs = 10_000;
    ReplicaStage stage =
        ReplicaStage.of(1, 2, 1, Map.of("replica.lag.time.max.ms", String.valueOf(lagMs)));
    stage.hold(1, 2);
    stage.passAnswer(1, 2); // empty, after its wait
    stage.passFetch(2, 1); // the last one for long
    long fromMs = stage.nowMs();
    ReplicaStage.Write waits = stage.produce(1, ALL, "a");

    stage.cluster.scheduler.runForMs(fromMs + lagMs - 100 - stage.nowMs());
    assertThat(stage.isr()).containsExactly(1, 2);
    assertThat(waits.isPending()).isTrue();
    assertThat(stage.highWatermark(1)).isZero();
    stage.cluster.await("the shrink", () -> !waits.isPending());
    assertThat(waits.error()).isEqualTo(Errors.NONE);
    assertThat(stage.nowMs() - fromMs).isBetween(lagMs, lagMs + lagMs / 2 + 100);
    assertThat(stage.isr()).containsExactly(1);
    assertThat(stage.highWatermark(1)).isEqualTo(1);
  }

  // --- three conditions to be in sync ---

  @Test
  void whoHasNotReachedTheHighWatermarkStaysOut() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 1);
    stage.kill(3);
    stage.awaitIsr(List.of(1, 2));
    ReplicaStage.Write written = stage.produce(1, ALL, "a", "b");
    stage.cluster.await("the answer", () -> !written.isPending());
    assertThat(stage.highWatermark(1)).isEqualTo(2);
    stage.hold(1, 3);
    stage.cluster.node(3).start();
    stage.cluster.awaitReady();

    stage.passFetch(3, 1); // asks from 0
    assertThat(stage.isr()).containsExactly(1, 2);
    stage.passAnswer(1, 3);
    assertThat(stage.end(3)).isEqualTo(2);
    assertThat(stage.isr()).containsExactly(1, 2);
    stage.passFetch(3, 1);
    stage.awaitIsr(List.of(1, 2, 3));
  }

  @Test
  void whoHasNotReachedTheStartOfTheLeadersEpochStaysOut() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 2);
    ReplicaStage.Write a = stage.produce(1, ALL, "a");
    stage.cluster.await("the answer", () -> !a.isPending());
    stage.cluster.await("its way back", () -> stage.highWatermark(2) == 1);
    stage.kill(3);
    stage.awaitIsr(List.of(1, 2));
    stage.hold(1, 2);
    stage.produce(1, LEADER, "b");
    stage.passAnswer(1, 2);
    stage.kill(1);
    stage.awaitLeader(2, 1); // in an epoch that starts at 2, alone, below the minimum
    assertThat(stage.highWatermark(2)).isEqualTo(1);
    stage.hold(2, 3);
    stage.cluster.node(3).start();
    stage.cluster.awaitReady();

    stage.passFetch(3, 2); // from 1: the high watermark, but not the start of the epoch
    stage.cluster.scheduler.runForMs(1_000);
    assertThat(stage.partition(2).isrNodes()).containsExactly(2);
    stage.passAnswer(2, 3);
    stage.passFetch(3, 2);
    stage.cluster.await("the high watermark", () -> stage.highWatermark(2) == 2);
    assertThat(stage.partition(2).isrNodes()).containsExactlyInAnyOrder(2, 3);
  }

  @Test
  void whoIsFencedStaysOut() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 1);
    String third = ReplicaStage.host(3);
    stage.cluster.network.cut(third, ReplicaStage.host(stage.controller()));
    stage.awaitIsr(List.of(1, 2));
    ReplicaStage.Write a = stage.produce(1, ALL, "a");
    stage.cluster.await("the answer", () -> !a.isPending());
    stage.cluster.scheduler.runForMs(5_000);
    assertThat(stage.end(3)).isEqualTo(1); // it is fast, and has all there is
    assertThat(stage.isr()).containsExactly(1, 2);

    stage.cluster.network.heal();
    stage.awaitIsr(List.of(1, 2, 3));
  }

  @Test
  void whoRegisteredAnewSinceItsFetchStaysOut() throws IOException {
    ReplicaStage stage = ReplicaStage.of(3, 1);
    stage.hold(1, 3);
    stage.produce(1, LEADER, "a");
    stage.passAnswer(1, 3);
    assertThat(stage.end(3)).isEqualTo(1); // and its next fetch, which would tell so, is held
    stage.cluster.node(3).kill();
    stage.awaitIsr(List.of(1, 2));
    stage.cluster.node(3).start();
    stage.cluster.awaitReady();

    stage.passFetch(3, 1); // of the life before
    stage.cluster.scheduler.runForMs(1_000);
    assertThat(stage.isr()).containsExactly(1, 2);
    stage.passFetch(3, 1);
    stage.awaitIsr(List.of(1, 2, 3));
  }

  // --- a first batch larger than the fetch budget ---

  @Test
  void aFirstBatchLargerThanTheBudgetIsGivenWholeAndAloneAndThenTheBudgetHolds()
      throws IOException {
    ReplicaStage stage =
        ReplicaStage.of(
            1,
            2,
            1,
            Map.of("replica.fetch.max.bytes", "500", "replica.fetch.response.max.bytes", "500"));
    stage.kill(2);
    stage.awaitIsr(List.of(1));
    for (int bytes : new int[] {900, 300, 300}) {
      stage.produce(1, LEADER, batchOf(bytes, stage.nowMs()));
    }
    assertThat(stage.logBytes(1)).isEqualTo(1500);
    assertThat(stage.read(1, 0, 500, -1).bytes()).isEqualTo(900);
    assertThat(stage.read(1, 1, 500, -1).bytes()).isEqualTo(300);
    assertThat(stage.read(1, 1, 600, -1).bytes()).isEqualTo(600);

    stage.hold(1, 2);
    stage.cluster.node(2).start();
    stage.cluster.awaitReady();
    for (int bytes : new int[] {900, 1200, 1500}) {
      stage.passFetch(2, 1);
      stage.passAnswer(1, 2);
      assertThat(stage.logBytes(2)).isEqualTo(bytes);
    }
  }

  /** Of one record, so many bytes with all that is in it. */
  private static MemoryRecords batchOf(int bytes, long nowMs) {
    int valueBytes = bytes;
    MemoryRecords batch;
    do {
      batch =
          MemoryRecords.withRecords(
              Compression.NONE, new SimpleRecord(nowMs, new byte[--valueBytes]));
    } while (batch.sizeInBytes() > bytes);
    return batch;
  }
}
