package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fetches that wait for records, and what ends the wait. */
class WaitingFetchTest {
  private static final String TOPIC = "events";
  private static final int LONG_MS = 10_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final int batchBytes = Batches.plain(clock.wallMs(), "v0").remaining();
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock, Map.of("fetch.max.bytes", "1024"));
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private SimExchange parked(SimFetch fetch) {
    SimExchange exchange = broker.send(fetch.request());
    assertThat(exchange.isAnswered()).as("it has to wait").isFalse();
    return exchange;
  }

  private static List<PartitionData> parts(SimExchange exchange) {
    return SimFetch.parts(exchange.answer(FetchResponse.class));
  }

  private static List<Long> offsets(SimExchange exchange) {
    List<PartitionData> parts = parts(exchange);
    assertThat(parts).hasSize(1);
    return SimFetch.offsets(parts.get(0));
  }

  @Test
  void itIsAnsweredAtOnceWhenItsBytesAreThereAndNotBefore() {
    SimExchange fetch = parked(SimFetch.of(TOPIC, 0).waitFor(2 * batchBytes, LONG_MS));
    SimExchange larger = parked(SimFetch.of(TOPIC, 0).waitFor(2 * batchBytes + 1, LONG_MS));
    client().produce(TOPIC, 1);
    assertThat(fetch.isAnswered()).isFalse();
    client().produce(TOPIC, 1);
    assertThat(offsets(fetch)).containsExactly(0L, 1L);
    assertThat(larger.isAnswered()).isFalse();
    client().produce(TOPIC, 1);
    assertThat(offsets(larger)).containsExactly(0L, 1L, 2L);
  }

  @Test
  void whatWasThereBeforeCounts() {
    client().produce(TOPIC, 1);
    SimExchange fetch = parked(SimFetch.of(TOPIC, 0).waitFor(2 * batchBytes, LONG_MS));
    client().produce(TOPIC, 1);
    assertThat(offsets(fetch)).containsExactly(0L, 1L);
    assertThat(SimFetch.offsets(client().fetch(SimFetch.of(TOPIC, 0).waitFor(2 * batchBytes, 1))))
        .as("nothing to wait for")
        .containsExactly(0L, 1L);
  }

  @Test
  void whenItsTimeIsOverItGetsWhatIsThere() {
    SimExchange empty = parked(SimFetch.of(TOPIC, 0).waitFor(1, 500));
    broker.advanceMs(499);
    assertThat(empty.isAnswered()).isFalse();
    broker.advanceMs(1);
    PartitionData part = parts(empty).get(0);
    assertThat(part.errorCode()).isEqualTo(Errors.NONE.code());
    assertThat(part.highWatermark()).isZero();
    assertThat(SimFetch.offsets(part)).isEmpty();

    SimExchange little = parked(SimFetch.of(TOPIC, 0).waitFor(2 * batchBytes, 500));
    client().produce(TOPIC, 1);
    broker.advanceMs(500);
    assertThat(offsets(little)).containsExactly(0L);
  }

  @Test
  void whatRetentionDeletesMeanwhileDoesNotCount() {
    client().create("short", "retention.ms", "1000", "internal.segment.bytes", "500");
    client().produce("short", 30);
    int waitMs = 1_000_000;
    SimExchange fetch = parked(SimFetch.of("short", 30).waitFor(2 * batchBytes, waitMs));
    broker.advanceMs(waitMs / 2);
    assertThat(client().earliest("short")).isEqualTo(30);
    client().produce("short", 1);
    assertThat(fetch.isAnswered()).isFalse();
    client().produce("short", 1);
    assertThat(offsets(fetch)).containsExactly(30L, 31L);
  }

  @Test
  void aClientThatIsGoneIsForgotten() {
    int timers = broker.timers();
    client().produce(TOPIC, 1);
    SimExchange fetch = parked(SimFetch.of(TOPIC, 0).waitFor(2 * batchBytes, LONG_MS));
    assertThat(broker.timers()).isEqualTo(timers + 1);
    fetch.abandon();
    assertThat(broker.timers()).isEqualTo(timers);
    client().produce(TOPIC, 5);
    broker.advanceMs(2 * LONG_MS);
    assertThat(fetch.isAnswered()).isFalse();
    broker.stop();
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void theEndOfItsTopicEndsTheWait() {
    client().create("others");
    SimExchange fetch = parked(SimFetch.of("others", 0).and(TOPIC, 0, 0).waitFor(1, LONG_MS));
    client().delete(TOPIC);
    List<PartitionData> parts = parts(fetch);
    assertThat(Errors.forCode(parts.get(0).errorCode())).isEqualTo(Errors.NONE);
    assertThat(Errors.forCode(parts.get(1).errorCode()))
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
  }

  @Test
  void theBytesOfAllItsPartitionsCountTogether() {
    client().create("pair", 2);
    SimFetch all = SimFetch.of(TOPIC, 0).and("pair", 0, 0).and("pair", 1, 0);
    SimExchange fetch = parked(all.waitFor(3 * batchBytes, LONG_MS));
    client().produce("pair", 1, Batches.plain(clock.wallMs(), "v0"));
    client().produce(TOPIC, 1);
    assertThat(fetch.isAnswered()).isFalse();
    client().produce("pair", 1, Batches.plain(clock.wallMs(), "v1"));
    assertThat(parts(fetch))
        .map(SimFetch::offsets)
        .containsExactly(List.of(0L), List.of(), List.of(0L, 1L));
  }

  @Test
  void recordsThatAreNotSyncedYetWakeNobodyOnATopicThatSyncsFirst() {
    client().create("synced", "flush.messages", "1");
    SimExchange first = parked(SimFetch.of("synced", 0).waitFor(1, LONG_MS));
    broker.hold(PartitionLeader.SYNCS);
    SimExchange sent = client().send("synced", Batches.plain(clock.wallMs(), "v0"));
    SimExchange late = parked(SimFetch.of("synced", 0).waitFor(batchBytes, LONG_MS));
    assertThat(first.isAnswered()).isFalse();
    assertThat(sent.isAnswered()).isFalse();
    assertThat(SimFetch.offsets(client().fetch(SimFetch.of("synced", 0)))).isEmpty();
    broker.release();
    assertThat(SimClient.acknowledged(sent).errorCode()).isEqualTo(Errors.NONE.code());
    assertThat(offsets(first)).containsExactly(0L);
    assertThat(offsets(late)).as("they were there, unread, when it came").containsExactly(0L);
  }

  @Test
  void noAnswerIsLargerThanTheBrokerAllows() {
    int batches = 2 * 1024 / batchBytes;
    client().produce(TOPIC, batches);
    PartitionData part = client().fetch(SimFetch.of(TOPIC, 0).waitFor(1 << 20, LONG_MS));
    int bytes = FetchResponse.recordsSize(part);
    assertThat(bytes).isBetween(1024 - batchBytes - 20, 1024);

    client().create("large");
    client().produce("large", 0, Batches.plain(clock.wallMs(), "x".repeat(3000)));
    client().produce("large", 1);
    assertThat(SimFetch.offsets(client().fetch(SimFetch.of("large", 0))))
        .as("a first batch that is larger")
        .containsExactly(0L);
  }

  @Test
  void recordsThatAreDeletedDuringTheWaitAreNotInTheAnswer() {
    // KAFKA-7104
    client().produce(TOPIC, 4);
    SimExchange fetch = parked(SimFetch.of(TOPIC, 1).waitFor(LONG_MS, 500));
    SimExchange above = parked(SimFetch.of(TOPIC, 3).waitFor(LONG_MS, 500));
    assertThat(client().deleteRecordsBelow(TOPIC, 2).lowWatermark()).isEqualTo(2);
    broker.advanceMs(500);
    PartitionData part = parts(fetch).get(0);
    assertThat(Errors.forCode(part.errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
    assertThat(FetchResponse.recordsSize(part)).isZero();
    PartitionData readable = parts(above).get(0);
    assertThat(readable.logStartOffset()).isEqualTo(2);
    assertThat(SimFetch.offsets(readable)).containsExactly(3L);
  }
}
