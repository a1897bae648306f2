package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A disk that fails or is full while the broker runs, and answers again later. */
class FailingDiskTest {
  private static final String TOPIC = "events";
  private static final long SOON_MS = 2_000;
  private static final long LONGEST_PAUSE_MS = 31_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  @Test
  void aFullDiskRefusesWritesServesReadsAndTakesWritesAgainOnceItHasRoom() throws Exception {
    client().create(TOPIC);
    client().produce(TOPIC, 10);
    disk.faults().capacityBytes(disk.usedBytes() + 30);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(LONGEST_PAUSE_MS);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    assertThat(client().latest(TOPIC)).isEqualTo(10);

    disk.faults().capacityBytes(Long.MAX_VALUE);
    broker.advanceMs(LONGEST_PAUSE_MS);
    assertThat(client().produce(TOPIC, 5)).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).isEqualTo(15);
    broker = broker.killedAndStarted();
    assertThat(client().latest(TOPIC)).isEqualTo(15);
  }

  @Test
  void aFailedSyncEndsTheLeaderEpochAndLosesNothingAcknowledged() throws Exception {
    disk.faults().failedSyncsDrop(true);
    client().create(TOPIC, "flush.messages", "1");
    assertThat(client().produce(TOPIC, 3)).isEqualTo(Errors.NONE);
    int epoch = client().leaderEpoch(TOPIC);
    disk.faults().failNext(Change.SYNC, 0);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(SOON_MS);
    assertThat(client().produce(TOPIC, 2)).isEqualTo(Errors.NONE);
    assertThat(client().leaderEpoch(TOPIC)).isEqualTo(epoch + 1);
    long end = client().latest(TOPIC);
    assertThat(end).isBetween(5L, 6L); // the one that was refused may be there

    disk.powerLoss(3);
    broker = SimBroker.started(disk, clock);
    assertThat(client().latest(TOPIC)).isEqualTo(end);
  }

  @Test
  void aTopicCreatedAgainWhileItsFolderIsBeingOpenedForTheOldOneIsServed() {
    client().create(TOPIC);
    client().produce(TOPIC, 3);
    disk.faults().failNext(Change.WRITE, 0);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.hold("repair");
    broker.advanceMs(SOON_MS);
    client().delete(TOPIC);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
    broker.release();
    broker.advanceMs(LONGEST_PAUSE_MS);
    assertThat(client().produce(TOPIC, 2)).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).isEqualTo(2);
  }

  @Test
  void aTopicIsNotCreatedWhereThereIsNoRoomAndCanBeCreatedLater() {
    disk.faults().capacityBytes(disk.usedBytes() + 1_000_000);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    assertThat(client().whyNotCreated(TOPIC))
        .startsWith("Broker 1 has no room for new partitions, nothing was created: /")
        .contains(" bytes of free space; free at least ");
    disk.faults().capacityBytes(Long.MAX_VALUE);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
  }

  @Test
  void aTopicWhoseFolderCannotBeCreatedIsReportedAndServesLater() {
    disk.faults().failNext(Change.CREATE, 0);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(SOON_MS);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
  }

  @Test
  void metadataCanBeWrittenAgainAfterAFailedWrite() {
    disk.faults().failNext(Change.WRITE, 0);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(SOON_MS);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
    broker = broker.killedAndStarted();
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
  }

  @Test
  void aPartitionThatFailedCanBeDeletedAtAnyMomentAndItsNameUsedAgain() {
    for (long waitedMs = 0; waitedMs < SOON_MS; waitedMs += 250) {
      assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
      client().produce(TOPIC, 4);
      disk.faults().failNext(Change.WRITE, 0);
      client().produce(TOPIC, 1);
      broker.advanceMs(waitedMs);
      client().delete(TOPIC);
      assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
      assertThat(client().produce(TOPIC, 2)).isEqualTo(Errors.NONE);
      assertThat(client().latest(TOPIC)).isEqualTo(2);
      client().delete(TOPIC);
      broker.advanceMs(LONGEST_PAUSE_MS);
    }
  }

  @Test
  void aBrokerWithAFailedPartitionStopsAndTheNextRunHasAllThatWasAcknowledged() {
    client().create(TOPIC);
    client().create("others");
    client().produce(TOPIC, 4);
    client().produce("others", 4);
    disk.faults().failNext(Change.WRITE, 0);
    client().produce(TOPIC, 1);
    broker = broker.stoppedAndStarted();
    assertThat(client().latest(TOPIC)).isBetween(4L, 5L);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
    assertThat(client().latest("others")).isEqualTo(4);
  }
}
