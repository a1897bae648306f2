package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogSettings;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.FollowerStep;
import dev.tidemark.replica.LagRule;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.StoredRecord;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Both sides of a fetch session, with bytes and time between them. */
class ServedSessionTest {
  private static final long LINGER_MS = ServingSettings.defaults().highWatermarkLingerMs();
  private static final long ROUND_TRIP_MS = 2 * Wire.LATENCY_MS;

  private final TwoBrokers brokers = new TwoBrokers();
  private final VirtualTimers timers = brokers.timers;
  private ServingSettings serving = ServingSettings.defaults();
  private FetcherSettings fetching = FetcherSettings.defaults();
  private ServedSession session;
  private Wire wire;
  private FollowerFetcher fetcher;

  private void start(int partitions) throws IOException {
    LedPartitions source =
        new LedPartitions() {
          @Override
          public PartitionLeader find(Uuid topicId, int partition) {
            PartitionLeader leader = brokers.leaders.get(partition);
            return leader == null || leader.isStopped() ? null : leader;
          }

          @Override
          public Errors missing(Uuid topicId, int partition, int leaderEpoch) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
          }
        };
    session = new ServedSession(source, serving, brokers.leaderThrottle, brokers.context(1));
    wire = new Wire(brokers, session);
    fetcher =
        new FollowerFetcher(1, fetching, wire, brokers.followerThrottle(), brokers.context(2));
    for (int i = 0; i < partitions; i++) {
      fetcher.add(brokers.addPartition());
    }
    timers.advanceMs(fetching.maxWaitMs() + 10);
  }

  @Test
  void aWaitingFetchIsAnsweredAtOnceWhenDataCome() throws Exception {
    start(1);
    brokers.produce(0, "a");
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.end(0)).isEqualTo(1);
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.leaders.get(0).highWatermark()).isEqualTo(1);
  }

  @Test
  void aHighWatermarkAloneGoesOutAfterTheLinger() throws Exception {
    start(1);
    brokers.produce(0, "a");
    timers.advanceMs(ROUND_TRIP_MS + LINGER_MS);
    assertThat(brokers.followers.get(0).highWatermark()).isZero();
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.followers.get(0).highWatermark()).isEqualTo(1);
  }

  /** The answer that told it was dropped, since it was to a question of the epoch before. */
  @Test
  void aHighWatermarkThatCameWithANewEpochIsToldAgain() throws Exception {
    start(1);
    brokers.produce(0, "a");
    timers.advanceMs(ROUND_TRIP_MS + LINGER_MS);
    brokers
        .leaders
        .get(0)
        .onCommitted(new CommittedPartition(1, 1, 1, TwoBrokers.REPLICAS, TwoBrokers.REPLICAS));
    brokers.followers.get(0).onLeader(1, 1);
    timers.advanceMs(10L * fetching.maxWaitMs());
    assertThat(brokers.followers.get(0).highWatermark()).isEqualTo(1);
  }

  /** The same for an error, without which the follower would wait for ever. */
  @Test
  void anErrorThatCameWithANewEpochIsToldAgain() throws Exception {
    start(1);
    brokers
        .leaders
        .get(0)
        .onCommitted(new CommittedPartition(1, 2, 1, TwoBrokers.REPLICAS, TwoBrokers.REPLICAS));
    brokers.followers.get(0).onLeader(1, 1);
    timers.advanceMs(2 * ROUND_TRIP_MS);
    assertThat(brokers.followers.get(0).step()).isEqualTo(FollowerStep.AWAIT_METADATA);
  }

  @Test
  void aHighWatermarkRidesOnDataThatComeMeanwhile() throws Exception {
    start(1);
    brokers.produce(0, "a");
    timers.advanceMs(ROUND_TRIP_MS + LINGER_MS / 2);
    int answers = wire.responses.size();
    brokers.produce(0, "b");
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.followers.get(0).highWatermark()).isEqualTo(1);
    assertThat(wire.responses).hasSize(answers + 1);
  }

  @Test
  void whatOneEventAppendsToManyPartitionsGoesOutInOneAnswer() throws Exception {
    start(10);
    int answers = wire.responses.size();
    for (int i = 0; i < 10; i++) {
      brokers.produce(i, "a");
    }
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(wire.responses).hasSize(answers + 1);
    for (int i = 0; i < 10; i++) {
      assertThat(brokers.end(i)).isEqualTo(1);
    }
  }

  @Test
  void onlyWhatChangedIsLookedAt() throws Exception {
    start(500);
    long before = session.reads();
    brokers.produce(250, "a");
    timers.advanceMs(100);
    assertThat(brokers.followers.get(250).highWatermark()).isEqualTo(1);
    assertThat(session.reads() - before).isBetween(2L, 6L);

    long idle = session.reads();
    timers.advanceMs(10L * fetching.maxWaitMs());
    assertThat(session.reads()).isEqualTo(idle);
    FetchRequestData last = wire.requests.get(wire.requests.size() - 1);
    assertThat(last.topics()).isEmpty();
  }

  @Test
  void whoIdlesForLongIsNoLaggardAtTheNextWrite() throws Exception {
    start(1);
    brokers.produce(0, "a");
    timers.advanceMs(10 * LagRule.defaults().timeMaxMs());
    brokers.produce(0, "b");
    brokers.leaders.get(0).checkInSync();
    assertThat(brokers.proposals).isEmpty();
  }

  @Test
  void anIdleSessionAsksOncePerMaxWait() throws Exception {
    start(3);
    int before = wire.requests.size();
    timers.advanceMs(10 * (fetching.maxWaitMs() + ROUND_TRIP_MS));
    assertThat(wire.requests.size() - before).isBetween(9, 11);
  }

  @Test
  void fewerBytesThanAskedForWaitUntilTheTimeIsOver() throws Exception {
    fetching = new FetcherSettings(500, 1000, 1 << 20, 1 << 20, 1000, 30_000);
    start(1);
    brokers.produce(0, "a");
    timers.advanceMs(400);
    assertThat(brokers.end(0)).isZero();
    timers.advanceMs(150);
    assertThat(brokers.end(0)).isEqualTo(1);
    brokers.produce(0, "x".repeat(600));
    timers.advanceMs(ROUND_TRIP_MS + Wire.LATENCY_MS);
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void whatFoundNoRoomIsFirstInTheNextAnswer() throws Exception {
    fetching = new FetcherSettings(500, 1, 2000, 2000, 1000, 30_000);
    start(5);
    for (int i = 0; i < 5; i++) {
      brokers.produce(i, "x".repeat(700));
    }
    List<Long> ends = new ArrayList<>();
    for (int round = 0; round < 6; round++) {
      timers.advanceMs(ROUND_TRIP_MS);
    }
    for (int i = 0; i < 5; i++) {
      ends.add(brokers.end(i));
    }
    assertThat(ends).containsOnly(1L);
  }

  @Test
  void steadyWritesToAllPartitionsArriveWholeAndInOrder() throws Exception {
    start(6);
    for (int i = 0; i < 300; i++) {
      brokers.produce(i % 6, "v" + i);
      if (i % 7 == 0) {
        timers.advanceMs(1);
      }
    }
    timers.advanceMs(200);
    for (int i = 0; i < 6; i++) {
      assertThat(StoredRecord.bytes(brokers.followers.get(i).log(), 50))
          .isEqualTo(StoredRecord.bytes(brokers.leaders.get(i).log(), 50));
      assertThat(brokers.followers.get(i).highWatermark()).isEqualTo(50);
    }
  }

  @Test
  void theEndOfTheLeadershipIsToldAtOnce() throws Exception {
    start(2);
    int answers = wire.responses.size();
    brokers.leaders.get(1).stop();
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(wire.responses).hasSize(answers + 1);
    FetchResponseData last = wire.responses.get(answers);
    assertThat(last.responses().get(0).partitions().get(0).errorCode())
        .isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER.code());
    brokers.produce(0, "goes on");
    timers.advanceMs(ROUND_TRIP_MS + Wire.LATENCY_MS);
    assertThat(brokers.end(0)).isEqualTo(1);
  }

  @Test
  void aNewEpochOfTheLeaderIsToldAtOnce() throws Exception {
    start(1);
    brokers
        .leaders
        .get(0)
        .onCommitted(new CommittedPartition(1, 1, 1, TwoBrokers.REPLICAS, TwoBrokers.REPLICAS));
    timers.advanceMs(Wire.LATENCY_MS);
    FetchResponseData last = wire.responses.get(wire.responses.size() - 1);
    assertThat(last.responses().get(0).partitions().get(0).errorCode())
        .isEqualTo(Errors.FENCED_LEADER_EPOCH.code());
    brokers.followers.get(0).onLeader(1, 1);
    brokers.produce(0, "a");
    timers.advanceMs(fetching.maxWaitMs() + 100L);
    assertThat(brokers.followers.get(0).highWatermark()).isEqualTo(1);
  }

  @Test
  void aLostAnswerIsMadeGoodByANewSession() throws Exception {
    start(2);
    wire.cut = true;
    brokers.produce(1, "a");
    timers.advanceMs(10);
    wire.cut = false;
    assertThat(brokers.end(1)).isZero();
    timers.advanceMs(fetching.timeoutMs() + fetching.backoffMs() + 100);
    assertThat(brokers.end(1)).isEqualTo(1);
    assertThat(brokers.followers.get(1).highWatermark()).isEqualTo(1);
  }

  @Test
  void aSyncingFollowerIsServedAsSoonAsItHasSynced() throws Exception {
    brokers.followerSettings = LogSettings.defaults().withFlushMessages(1);
    start(2);
    brokers.produce(0, "a");
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.end(0)).isEqualTo(1);
    timers.advanceMs(3);
    assertThat(brokers.leaders.get(0).followerEndOffset(2)).isZero();
    brokers.background.runNext();
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.leaders.get(0).highWatermark()).isEqualTo(1);
  }

  @Test
  void aFetchOfAnotherSessionIsRefused() throws Exception {
    start(1);
    List<Short> errors = new ArrayList<>();
    session.onFetch(
        new FetchRequestData().setSessionId(99).setSessionEpoch(1),
        answer -> errors.add(answer.errorCode()));
    session.onFetch(
        new FetchRequestData().setSessionId(1).setSessionEpoch(77),
        answer -> errors.add(answer.errorCode()));
    assertThat(errors)
        .containsExactly(
            Errors.FETCH_SESSION_ID_NOT_FOUND.code(), Errors.INVALID_FETCH_SESSION_EPOCH.code());
  }
}
