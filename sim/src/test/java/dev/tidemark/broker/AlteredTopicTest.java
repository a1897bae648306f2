package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Configs of a topic that are altered while its partitions serve. */
class AlteredTopicTest {
  private static final String TOPIC = "events";
  private static final long ONE_RETENTION_MS = 301_000;
  private static final long SOME_CLEANINGS_MS = 60_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
    assertThat(client().create(TOPIC, "internal.segment.bytes", "1000")).isEqualTo(Errors.NONE);
    client().create("others", "internal.segment.bytes", "1000");
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private void alter(String key, @Nullable String value) {
    assertThat(client().alter(TOPIC, key, value)).isEqualTo(Errors.NONE);
  }

  private ByteBuffer large() {
    return Batches.plain(clock.wallMs(), "x".repeat(300));
  }

  @Test
  void aLowerMessageBoundRefusesTheNextBatchAndItsDeletionTakesItAgain() {
    assertThat(client().produce(TOPIC, 0, large())).isEqualTo(Errors.NONE);
    alter("max.message.bytes", "200");
    assertThat(client().produce(TOPIC, 0, large())).isEqualTo(Errors.MESSAGE_TOO_LARGE);
    assertThat(client().produce("others", 0, large())).isEqualTo(Errors.NONE);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
    broker = broker.killedAndStarted();
    assertThat(client().produce(TOPIC, 0, large())).isEqualTo(Errors.MESSAGE_TOO_LARGE);
    alter("max.message.bytes", null);
    assertThat(client().produce(TOPIC, 0, large())).isEqualTo(Errors.NONE);
  }

  @Test
  void aShorterRetentionDeletesWhatIsOldAlsoOfALogThatIdles() {
    client().produce(TOPIC, 50);
    client().produce("others", 50);
    broker.advanceMs(ONE_RETENTION_MS);
    assertThat(client().earliest(TOPIC)).isZero();
    broker.advanceMs(ONE_RETENTION_MS);
    alter("retention.ms", "1000");
    broker.advanceMs(ONE_RETENTION_MS);
    assertThat(client().earliest(TOPIC)).isEqualTo(50);
    assertThat(client().earliest("others")).isZero();
  }

  @Test
  void aSizeBoundDeletesTheOldestSegments() {
    client().produce(TOPIC, 50);
    alter("retention.bytes", "1500");
    broker.advanceMs(ONE_RETENTION_MS);
    assertThat(client().earliest(TOPIC)).isBetween(10L, 40L);
    assertThat(broker.leader(TOPIC).log().sizeInBytes()).isBetween(1500L, 2500L);
  }

  @Test
  void aTopicBecomesACompactedOneOnceItsRecordsAreOldEnough() {
    client().produce(TOPIC, 10);
    for (int i = 0; i < 10; i++) {
      client().produce(TOPIC, 10);
    }
    long full = broker.leader(TOPIC).log().sizeInBytes();
    alter("min.compaction.lag.ms", "600000");
    alter("cleanup.policy", "compact");
    broker.advanceMs(SOME_CLEANINGS_MS);
    assertThat(broker.leader(TOPIC).log().sizeInBytes()).isEqualTo(full);
    alter("min.compaction.lag.ms", null);
    broker.advanceMs(SOME_CLEANINGS_MS);
    assertThat(broker.leader(TOPIC).log().sizeInBytes()).isLessThan(full / 2);
    ByteBuffer keyless = Batches.keyless(clock.wallMs(), "v");
    assertThat(client().produce(TOPIC, 0, keyless)).isEqualTo(Errors.INVALID_RECORD);
    assertThat(client().latest(TOPIC)).isEqualTo(110);
  }

  @Test
  void fromNowOnRecordsAreSyncedFirstAndLaterNotAnyMore() {
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
    alter("flush.messages", "1");
    broker.hold(PartitionLeader.SYNCS);
    SimExchange sent = client().send(TOPIC, large());
    assertThat(sent.isAnswered()).isFalse();
    broker.release();
    assertThat(SimClient.acknowledged(sent).baseOffset()).isEqualTo(1);
    alter("flush.messages", null);
    broker.hold(PartitionLeader.SYNCS);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
  }

  @Test
  void whoWaitsForASyncIsToldWhenTheTopicNoLongerSyncsFirst() {
    alter("flush.messages", "1");
    broker.hold(PartitionLeader.SYNCS);
    SimExchange sent = client().send(TOPIC, large());
    assertThat(sent.isAnswered()).isFalse();
    alter("flush.messages", null);
    broker.release();
    assertThat(SimClient.acknowledged(sent).errorCode()).isEqualTo(Errors.NONE.code());
  }

  @Test
  void segmentsRollByTheNewSizeAndTimesAreThoseOfTheLogIfItSaysSo() {
    client().produce(TOPIC, 3);
    assertThat(broker.leader(TOPIC).log().segmentCount()).isEqualTo(1);
    alter("internal.segment.bytes", "300");
    client().produce(TOPIC, 3);
    assertThat(broker.leader(TOPIC).log().segmentCount()).isGreaterThan(1);
    assertThat(SimClient.acknowledged(client().send(TOPIC, old())).logAppendTimeMs()).isEqualTo(-1);
    alter("message.timestamp.type", "LogAppendTime");
    assertThat(SimClient.acknowledged(client().send(TOPIC, old())).logAppendTimeMs())
        .isEqualTo(clock.wallMs());
  }

  private ByteBuffer old() {
    return Batches.plain(clock.wallMs() - 5000, "old");
  }
}
