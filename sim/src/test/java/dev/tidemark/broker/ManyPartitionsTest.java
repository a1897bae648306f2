package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What partitions cost that nobody uses. */
class ManyPartitionsTest {
  private static final String TOPIC = "many";
  private static final int PARTITIONS = 300;
  private static final long DAY_MS = 86_400_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private void create(int partitions, String... configs) {
    assertThat(client().create(TOPIC, partitions, configs)).isEqualTo(Errors.NONE);
  }

  private Errors produce(int partition, ByteBuffer batch) {
    return client().produce(TOPIC, partition, batch);
  }

  private void produceToEach(int partitions) {
    for (int i = 0; i < partitions; i++) {
      assertThat(produce(i, Batches.plain(clock.wallMs(), "v" + i))).isEqualTo(Errors.NONE);
    }
  }

  private long offset(int partition, long timestamp) {
    return client().offset(TOPIC, partition, timestamp).offset();
  }

  private long latest(int partition) {
    return offset(partition, ListOffsetsRequest.LATEST_TIMESTAMP);
  }

  private long looks() {
    return disk.looksInto("/data/" + TOPIC);
  }

  @Test
  void partitionsThatIdleHoldNoFileOpen() {
    int before = disk.openFiles();
    create(PARTITIONS);
    assertThat(disk.openFiles()).as("after the creation").isEqualTo(before);
    produceToEach(PARTITIONS);
    assertThat(disk.openFiles()).isGreaterThanOrEqualTo(PARTITIONS);
    broker.advanceMs(30_000);
    assertThat(disk.openFiles()).as("half a minute after the last record").isEqualTo(before);
    produceToEach(3);
    assertThat(latest(0)).isEqualTo(2);
  }

  @Test
  void aNewPartitionHasNoFileButItsTopicId() throws IOException {
    create(PARTITIONS);
    assertThat(disk.root().directory("data").directory(TOPIC + "-7").list())
        .containsExactly("partition.metadata");
  }

  @Test
  void periodicWorkLooksAtNoPartitionThatIdles() {
    create(PARTITIONS);
    produceToEach(PARTITIONS);
    broker.advanceMs(180_000);
    long visits = broker.visits();
    long looks = looks();
    broker.advanceMs(3_600_000);
    assertThat(broker.visits()).isEqualTo(visits);
    assertThat(looks()).isEqualTo(looks);
    produceToEach(1);
    broker.advanceMs(3_600_000);
    assertThat(broker.visits()).isBetween(visits + 1, visits + 20);
  }

  @Test
  void retentionFindsThePartitionsThatIdle() {
    create(3, "retention.ms", "" + DAY_MS);
    produceToEach(2);
    broker.advanceMs(DAY_MS / 2);
    assertThat(offset(1, ListOffsetsRequest.EARLIEST_TIMESTAMP)).isZero();
    broker = broker.stoppedAndStarted();
    broker.advanceMs(60_000);
    int before = disk.openFiles();
    broker.advanceMs(DAY_MS / 2 + 1_100_000);
    assertThat(disk.openFiles()).as("files open after retention").isEqualTo(before);
    assertThat(offset(1, ListOffsetsRequest.EARLIEST_TIMESTAMP)).isEqualTo(1);
  }

  @Test
  void aStartAfterACleanStopLooksIntoNoPartitionFolder() {
    create(PARTITIONS);
    produceToEach(PARTITIONS / 2);
    broker = broker.stoppedAndStarted();
    long looks = looks();
    broker = broker.stoppedAndStarted();
    assertThat(looks()).isEqualTo(looks);
    assertThat(latest(1)).isEqualTo(1);
    assertThat(produce(1, Batches.plain(clock.wallMs(), "more"))).isEqualTo(Errors.NONE);
    assertThat(latest(1)).isEqualTo(2);
  }

  @Test
  void aStartAfterAKillReadsOnlyWhatWasWrittenSinceTheLastCheckpoint() {
    create(PARTITIONS);
    produceToEach(PARTITIONS);
    broker.advanceMs(90_000);
    produceToEach(1);
    long untouched = disk.looksInto("/data/" + TOPIC + "-299");
    broker = broker.killedAndStarted();
    assertThat(disk.looksInto("/data/" + TOPIC + "-299") - untouched)
        .as("its files are compared by name and size")
        .isLessThanOrEqualTo(2);
    assertThat(latest(0)).isEqualTo(2);
    assertThat(latest(299)).isEqualTo(1);
  }

  @Test
  void aCheckpointOfWhatHasChangedKeepsWhatIsKnownOfTheOthers() throws IOException {
    create(PARTITIONS);
    client().create("other");
    assertThat(client().produce("other", 1)).isEqualTo(Errors.NONE);
    produceToEach(PARTITIONS);
    broker.advanceMs(90_000);
    assertThat(known("other-0")).isTrue();
    long visits = broker.visits();
    produceToEach(1);
    client().delete("other");
    broker.advanceMs(90_000);
    assertThat(broker.visits() - visits).isLessThan(40);
    assertThat(known("other-0")).isFalse();
    long written = disk.looksInto("/data/" + TOPIC + "-0");
    long untouched = disk.looksInto("/data/" + TOPIC + "-299");
    broker = broker.killedAndStarted();
    assertThat(disk.looksInto("/data/" + TOPIC + "-0") - written).isLessThanOrEqualTo(2);
    assertThat(disk.looksInto("/data/" + TOPIC + "-299") - untouched).isLessThanOrEqualTo(2);
    assertThat(latest(0)).isEqualTo(2);
    assertThat(latest(299)).isEqualTo(1);
  }

  private boolean known(String folder) throws IOException {
    return KnownOffsets.read(disk.root().directory("data")).hasFolder(folder);
  }

  @Test
  void aCheckpointThatIsDamagedMeanwhileIsMadeAnew() throws IOException {
    create(PARTITIONS);
    produceToEach(PARTITIONS);
    broker.advanceMs(90_000);
    disk.rot("data/" + KnownOffsets.FILE, 20);
    produceToEach(1);
    broker.advanceMs(180_000);
    assertThat(known(TOPIC + "-0")).isTrue();
    assertThat(known(TOPIC + "-299")).isTrue();
    broker = broker.killedAndStarted();
    assertThat(latest(0)).isEqualTo(2);
    assertThat(latest(299)).isEqualTo(1);
  }

  @Test
  void producersAreKnownAfterAKillAlsoWithoutALookAtTheLog() {
    create(1);
    ByteBuffer first = Batches.of(7, 0, 0, clock.wallMs(), "a");
    assertThat(produce(0, first.duplicate())).isEqualTo(Errors.NONE);
    broker.advanceMs(90_000);
    broker = broker.killedAndStarted();
    assertThat(produce(0, Batches.of(7, 0, 0, clock.wallMs(), "a"))).isEqualTo(Errors.NONE);
    assertThat(latest(0)).as("the repetition was not appended").isEqualTo(1);
    assertThat(produce(0, Batches.of(7, 0, 5, clock.wallMs(), "c")))
        .isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    assertThat(produce(0, Batches.of(7, 0, 1, clock.wallMs(), "b"))).isEqualTo(Errors.NONE);
  }

  @Test
  void powerLossSparesNoLookAtTheFiles() {
    create(3, "flush.messages", "1");
    produceToEach(3);
    broker.advanceMs(90_000);
    broker = broker.afterPowerLoss(5);
    for (int i = 0; i < 3; i++) {
      assertThat(latest(i)).isEqualTo(1);
    }
  }

  @Test
  void aTopicIsDeletedAndMadeAgainThoughNotAllOfItWasEverThere() {
    create(PARTITIONS);
    produceToEach(1);
    client().delete(TOPIC);
    create(2);
    assertThat(latest(0)).isZero();
    assertThat(latest(1)).isZero();
  }

  @Test
  void whatAStopSyncedAtOnceSurvivesPowerLoss() {
    create(PARTITIONS);
    produceToEach(PARTITIONS);
    broker.stop();
    broker = broker.afterPowerLoss(11);
    for (int i = 0; i < PARTITIONS; i++) {
      assertThat(latest(i)).isEqualTo(1);
    }
    assertThat(produce(7, Batches.plain(clock.wallMs(), "more"))).isEqualTo(Errors.NONE);
  }

  @Test
  void aStopOfManyLogsIsOneSync() {
    create(PARTITIONS);
    produceToEach(PARTITIONS);
    broker.advanceMs(30_000);
    long syncs = disk.faults().syncs();
    int unused = disk.takeMostOpenFiles();
    broker.stop();
    assertThat(disk.faults().syncs() - syncs).isLessThan(40);
    assertThat(disk.takeMostOpenFiles()).as("files open at once").isLessThan(40);
  }

  @Test
  void aLeaderThatStoppedInOrderGoesOnInItsEpochAndOneThatWasKilledBeginsAnother() {
    create(1);
    produceToEach(1);
    int epoch = client().leaderEpoch(TOPIC);
    broker = broker.stoppedAndStarted();
    assertThat(client().leaderEpoch(TOPIC)).isEqualTo(epoch);
    broker = broker.killedAndStarted();
    assertThat(client().leaderEpoch(TOPIC)).isEqualTo(epoch + 1);
  }
}
