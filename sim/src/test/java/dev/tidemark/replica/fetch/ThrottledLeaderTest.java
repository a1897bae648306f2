package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.Test;

/** What a leader sends to a follower outside the ISR when its quota is used up (KIP-73). */
class ThrottledLeaderTest {
  private static final List<Integer> LEADER_ONLY = List.of(1);

  /** So long that no fetch ends by it within a test. */
  private static final int LONG_MS = 20_000;

  private final TwoBrokers brokers = new TwoBrokers();
  private final VirtualTimers timers = brokers.timers;
  private ServedSession session;
  private Wire wire;

  private void start(int partitions, int maxWaitMs) throws IOException {
    LedPartitions source =
        new LedPartitions() {
          @Override
          public PartitionLeader find(Uuid topicId, int partition) {
            return brokers.leaders.get(partition);
          }

          @Override
          public Errors missing(Uuid topicId, int partition, int leaderEpoch) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
          }
        };
    session =
        new ServedSession(
            source, ServingSettings.defaults(), brokers.leaderThrottle, brokers.context(1));
    wire = new Wire(brokers, session);
    FollowerFetcher fetcher =
        new FollowerFetcher(
            1,
            new FetcherSettings(maxWaitMs, 1, 10 << 20, 1 << 20, 1000, 30_000),
            wire,
            brokers.followerThrottle(),
            brokers.context(2));
    for (int i = 0; i < partitions; i++) {
      var unused = brokers.addPartition();
      brokers.commitIsr(i, LEADER_ONLY);
    }
    fetcher.add(brokers.followers);
    timers.advanceMs(10);
  }

  /** Sends so much of partition 0 that the quota is used up for the 2 s that follow, at least. */
  private int useUp(int partition) throws Exception {
    brokers.leaderThrottle.bytesPerSecond(1_000);
    brokers.produce(partition, "x".repeat(3_000));
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.end(partition)).isEqualTo(1);
    timers.advanceMs(100); // the high watermark is told
    return wire.responses.stream().mapToInt(ThrottledLeaderTest::size).sum();
  }

  private static int size(FetchResponseData response) {
    return response.responses().stream()
        .flatMap(topic -> topic.partitions().stream())
        .mapToInt(FetchResponse::recordsSize)
        .sum();
  }

  private void throttle(String list) {
    brokers.leaderThrottle.replicas("events", ThrottledReplicas.parse(list, 1));
  }

  @Test
  void recordsWaitUntilTheQuotaIsFreeAndLeaveThen() throws Exception {
    start(1, LONG_MS);
    throttle("*");
    int bytes = useUp(0);
    brokers.produce(0, "b");
    long reads = session.reads();
    timers.advanceMs(bytes - 110L);
    assertThat(brokers.end(0)).isEqualTo(1);
    assertThat(session.reads() - reads).isLessThan(3);
    timers.advanceMs(20);
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void aFollowerInTheIsrIsSentEverythingAtOnce() throws Exception {
    start(1, LONG_MS);
    throttle("*");
    brokers.commitIsr(0, TwoBrokers.REPLICAS);
    useUp(0);
    brokers.produce(0, "b");
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void whatAFollowerInTheIsrIsSentCountsAsWell() throws Exception {
    start(2, LONG_MS);
    throttle("*");
    brokers.commitIsr(0, TwoBrokers.REPLICAS);
    useUp(0);
    brokers.produce(1, "b");
    timers.advanceMs(1_000);
    assertThat(brokers.end(1)).isZero();
  }

  @Test
  void aFollowerThatJoinsTheIsrIsSentWhatWaited() throws Exception {
    start(1, LONG_MS);
    throttle("*");
    useUp(0);
    brokers.produce(0, "b");
    timers.advanceMs(100);
    assertThat(brokers.end(0)).isEqualTo(1);
    brokers.commitIsr(0, TwoBrokers.REPLICAS);
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void partitionsThatAreNotListedNeitherWaitNorCount() throws Exception {
    start(2, LONG_MS);
    throttle("0:1,1:2");
    useUp(1);
    brokers.produce(0, "x".repeat(3_000));
    timers.advanceMs(Wire.LATENCY_MS);
    assertThat(brokers.end(0)).isEqualTo(1);
    brokers.produce(0, "b");
    brokers.produce(1, "b");
    timers.advanceMs(100);
    assertThat(brokers.end(0)).isEqualTo(1);
    assertThat(brokers.end(1)).isEqualTo(2);
  }

  @Test
  void errorsAreToldWhileRecordsWait() throws Exception {
    start(1, LONG_MS);
    throttle("*");
    useUp(0);
    brokers.produce(0, "b");
    timers.advanceMs(100);
    brokers
        .leaders
        .get(0)
        .onCommitted(new CommittedPartition(1, 1, 5, TwoBrokers.REPLICAS, LEADER_ONLY));
    timers.advanceMs(Wire.LATENCY_MS);
    FetchResponseData last = wire.responses.get(wire.responses.size() - 1);
    assertThat(last.responses().get(0).partitions().get(0).errorCode())
        .isEqualTo(Errors.FENCED_LEADER_EPOCH.code());
  }

  @Test
  void aBoundThatIsLiftedHoldsWithTheNextFetch() throws Exception {
    start(1, 500);
    throttle("*");
    useUp(0);
    brokers.produce(0, "b");
    timers.advanceMs(500);
    assertThat(brokers.end(0)).isEqualTo(1);
    brokers.leaderThrottle.bytesPerSecond(Long.MAX_VALUE);
    timers.advanceMs(510);
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void aPartitionThatIsListedNoMoreGoesOnWithTheNextFetch() throws Exception {
    start(1, 500);
    throttle("*");
    useUp(0);
    brokers.produce(0, "b");
    timers.advanceMs(500);
    assertThat(brokers.end(0)).isEqualTo(1);
    brokers.leaderThrottle.replicas("events", ThrottledReplicas.NONE);
    timers.advanceMs(510);
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void nobodyLooksAtWhatWaitsWhileOthersAreServed() throws Exception {
    start(101, LONG_MS);
    brokers.leaderThrottle.replicas("events", ThrottledReplicas.parse(allBut100(), 1));
    useUp(0);
    for (int i = 0; i < 100; i++) {
      brokers.produce(i, "waits");
    }
    timers.advanceMs(100);
    long before = session.reads();
    for (int i = 0; i < 10; i++) {
      brokers.produce(100, "goes");
      timers.advanceMs(50);
    }
    assertThat(brokers.end(100)).isEqualTo(10);
    assertThat(brokers.end(50)).isZero();
    assertThat(session.reads() - before).isLessThan(60);
  }

  private static String allBut100() {
    StringBuilder list = new StringBuilder("0:1");
    for (int i = 1; i < 100; i++) {
      list.append(',').append(i).append(":1");
    }
    return list.toString();
  }
}
