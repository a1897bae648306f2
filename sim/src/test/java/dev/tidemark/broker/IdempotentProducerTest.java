package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.ProducerEntry;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Retries of idempotent producers through a broker: acknowledged when, with which offset. */
class IdempotentProducerTest {
  private static final String TOPIC = "events";
  private static final String[] SYNCS_FIRST = {"flush.messages", "1"};
  private static final long ID = 9;
  private static final long SOON_MS = 2_000;
  private static final long HOUR_MS = 3_600_000;

  private VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private ByteBuffer batch(int sequence) {
    return batch(ID, sequence);
  }

  private ByteBuffer batch(long producerId, int sequence) {
    return Batches.of(producerId, 0, sequence, clock.wallMs(), "v" + sequence);
  }

  private void assertAcknowledged(SimExchange sent, long baseOffset) {
    PartitionProduceResponse answer = SimClient.acknowledged(sent);
    assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
    assertThat(answer.baseOffset()).isEqualTo(baseOffset);
  }

  private void assertRefused(SimExchange sent, Errors error) {
    assertThat(Errors.forCode(SimClient.acknowledged(sent).errorCode())).isEqualTo(error);
  }

  private List<Long> stored() {
    return SimFetch.offsets(client().fetch(SimFetch.of(TOPIC, 0)));
  }

  @Test
  void aRetryIsAcknowledgedNoSoonerThanTheSyncOfItsBatch() {
    client().create(TOPIC, SYNCS_FIRST);
    broker.hold(PartitionLeader.SYNCS);
    SimExchange first = client().send(TOPIC, batch(0));
    SimExchange retry = client().send(TOPIC, batch(0));
    SimExchange next = client().send(TOPIC, batch(1));
    assertThat(retry.isAnswered()).isFalse();
    assertThat(first.isAnswered()).isFalse();
    assertThat(stored()).isEmpty();
    broker.release();
    assertAcknowledged(first, 0);
    assertAcknowledged(retry, 0);
    assertAcknowledged(next, 1);
    assertThat(stored()).containsExactly(0L, 1L);
  }

  @Test
  void whenTheSyncFailsTheRetryFailsTooAndALaterOneIsAcknowledgedOnlyIfItSurvives()
      throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      disk = new VirtualDisk(seed);
      disk.faults().failedSyncsDrop(true);
      start();
      client().create(TOPIC, SYNCS_FIRST);
      broker.hold(PartitionLeader.SYNCS);
      SimExchange first = client().send(TOPIC, batch(0));
      SimExchange retry = client().send(TOPIC, batch(0));
      disk.faults().failNext(Change.SYNC, 0);
      broker.release();
      assertRefused(first, Errors.KAFKA_STORAGE_ERROR);
      assertRefused(retry, Errors.KAFKA_STORAGE_ERROR);

      broker.advanceMs(SOON_MS);
      broker.hold(PartitionLeader.SYNCS); // what is acknowledged now needs no more of them
      assertAcknowledged(client().send(TOPIC, batch(0)), 0);
      assertThat(stored()).containsExactly(0L);
      broker = broker.afterPowerLoss(seed);
      assertThat(stored()).as("seed %d", seed).containsExactly(0L);
    }
  }

  @Test
  void whatAKillLeftUnsyncedIsSyncedBeforeItCountsAsThere() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      disk = new VirtualDisk(seed);
      start();
      client().create(TOPIC, SYNCS_FIRST);
      assertAcknowledged(client().send(TOPIC, batch(0)), 0);
      if (seed % 2 == 0) {
        broker.advanceMs(61_000); // a checkpoint, which tells of the log
      }
      broker.hold(PartitionLeader.SYNCS);
      assertThat(client().send(TOPIC, batch(1)).isAnswered()).isFalse();
      if (seed % 4 == 0) {
        broker.advanceMs(61_000);
      }
      broker = broker.killedAndStarted();
      broker.hold(PartitionLeader.SYNCS);
      assertAcknowledged(client().send(TOPIC, batch(1)), 1);
      assertThat(stored()).containsExactly(0L, 1L);
      broker = broker.afterPowerLoss(seed);
      assertThat(stored()).as("acknowledged, seed %d", seed).containsExactly(0L, 1L);
    }
  }

  @Test
  void aBatchWhoseWriteFailedIsStoredOnceByItsRetry() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      disk = new VirtualDisk(seed);
      start();
      client().create(TOPIC);
      assertAcknowledged(client().send(TOPIC, batch(0)), 0);
      disk.faults().failNext(Change.WRITE, 0);
      assertRefused(client().send(TOPIC, batch(1)), Errors.KAFKA_STORAGE_ERROR);
      broker.advanceMs(SOON_MS);
      assertAcknowledged(client().send(TOPIC, batch(1)), 1);
      assertAcknowledged(client().send(TOPIC, batch(2)), 2);
      assertThat(stored()).containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void appendsOfOneSyncAreReadAtTheirOwnOffsets() {
    client().create(TOPIC, SYNCS_FIRST);
    broker.hold(PartitionLeader.SYNCS);
    SimExchange[] sent = new SimExchange[10];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = client().send(TOPIC, batch(100 + i % 2, i / 2));
    }
    broker.release();
    for (int i = 0; i < sent.length; i++) {
      assertAcknowledged(sent[i], i);
      assertThat(SimFetch.offsets(client().fetch(SimFetch.of(TOPIC, i)))).startsWith((long) i);
    }
    PartitionLog log = broker.leader(TOPIC).log();
    assertThat(log.producers().entries())
        .extracting(ProducerEntry::lastSequence)
        .containsExactly(4, 4);
  }

  @Test
  void deletionUpToTheHighWatermarkSparesWhatIsNotSyncedYet() {
    client().create(TOPIC, SYNCS_FIRST);
    assertAcknowledged(client().send(TOPIC, batch(0)), 0);
    assertAcknowledged(client().send(TOPIC, batch(1)), 1);
    broker.hold(PartitionLeader.SYNCS);
    SimExchange unsynced = client().send(TOPIC, batch(2));
    assertThat(client().deleteRecordsBelow(TOPIC, 3).errorCode())
        .isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
    assertThat(client().deleteRecordsBelow(TOPIC, -1).lowWatermark()).isEqualTo(2);
    broker.release();
    assertAcknowledged(unsynced, 2);
    assertThat(SimFetch.offsets(client().fetch(SimFetch.of(TOPIC, 2)))).containsExactly(2L);
  }

  @Test
  void afterAnyRestartTheLastBatchIsADuplicateAndANextOneIsTaken() {
    client().create(TOPIC);
    int sequence = 0;
    for (int run = 0; run < 6; run++) {
      for (int i = 0; i < 8; i++) {
        assertAcknowledged(client().send(TOPIC, batch(sequence)), sequence);
        sequence++;
      }
      if (run % 3 == 0) {
        broker.advanceMs(61_000); // a checkpoint
      }
      broker = run % 2 == 0 ? broker.stoppedAndStarted() : broker.killedAndStarted();
      assertAcknowledged(client().send(TOPIC, batch(sequence - 1)), sequence - 1);
      assertRefused(client().send(TOPIC, batch(sequence + 1)), Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    }
    assertThat(client().latest(TOPIC)).isEqualTo(sequence);
  }

  @Test
  void anIdleProducerIsForgottenAfterADayAndOneThatWritesIsNot() {
    client().create(TOPIC);
    client().create("idle");
    long busy = 10;
    assertAcknowledged(client().send(TOPIC, batch(0)), 0);
    assertAcknowledged(client().send("idle", batch(0)), 0);
    for (int hour = 0; hour < 24; hour++) {
      broker.advanceMs(HOUR_MS - 60_000);
      assertThat(producers(TOPIC)).contains(ID);
      assertThat(producers("idle")).contains(ID);
      assertAcknowledged(client().send(TOPIC, batch(busy, hour)), hour + 1);
    }
    broker.advanceMs(HOUR_MS);
    assertThat(producers(TOPIC)).containsExactly(busy);
    assertThat(producers("idle")).isEmpty();
    assertAcknowledged(client().send(TOPIC, batch(5)), 25);
  }

  @Test
  void aFirstBatchThatWasRefusedIsNotOvertakenByTheNext() {
    assertRefused(client().send(TOPIC, batch(0)), Errors.UNKNOWN_TOPIC_OR_PARTITION);
    client().create(TOPIC);
    assertRefused(client().send(TOPIC, batch(1)), Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertAcknowledged(client().send(TOPIC, batch(0)), 0);
    assertAcknowledged(client().send(TOPIC, batch(1)), 1);
    assertThat(stored()).containsExactly(0L, 1L);
  }

  @Test
  void aProducerOfWhichNothingWasRefusedBeginsWithAnySequence() {
    assertRefused(client().send(TOPIC, batch(5)), Errors.UNKNOWN_TOPIC_OR_PARTITION);
    client().create(TOPIC);
    assertAcknowledged(client().send(TOPIC, batch(10L, 7)), 0);
    assertAcknowledged(client().send(TOPIC, batch(5)), 1);
    assertAcknowledged(client().send(TOPIC, batch(6)), 2);
  }

  private List<Long> producers(String topic) {
    return broker.leader(topic).log().producers().entries().stream()
        .map(ProducerEntry::producerId)
        .toList();
  }
}
