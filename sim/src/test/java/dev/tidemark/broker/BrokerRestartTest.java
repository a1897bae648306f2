package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a broker makes of the folder that another run left. */
class BrokerRestartTest {
  private static final String TOPIC = "events";
  private static final long ONE_CHECKPOINT_MS = 61_000;

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

  private Directory folder() {
    return disk.root().directory("data");
  }

  @Test
  void aTopicCreatedAgainKnowsNothingOfTheOneBefore() {
    client().create(TOPIC);
    client().produce(TOPIC, 20);
    client().deleteRecordsBelow(TOPIC, 15);
    broker.advanceMs(ONE_CHECKPOINT_MS);
    client().delete(TOPIC);
    client().create(TOPIC);
    client().produce(TOPIC, 3);

    broker = broker.killedAndStarted();
    assertThat(client().earliest(TOPIC)).isZero();
    assertThat(client().latest(TOPIC)).isEqualTo(3);
  }

  @Test
  void whatDeleteRecordsRemovedStaysRemovedAfterACleanStop() {
    client().create(TOPIC);
    client().produce(TOPIC, 20);
    client().deleteRecordsBelow(TOPIC, 15);
    broker = broker.stoppedAndStarted();
    assertThat(client().earliest(TOPIC)).isEqualTo(15);
    assertThat(client().latest(TOPIC)).isEqualTo(20);
  }

  @Test
  void aDamagedPartitionIsReportedAtEveryStartAndHoldsUpNoOther() throws IOException {
    client().create(TOPIC);
    client().create("others");
    client().produce(TOPIC, 20);
    client().produce("others", 1);
    broker = broker.stoppedAndStarted();
    disk.rot("data/events-0/00000000000000000000.log", 100);

    broker = broker.afterPowerLoss(1);
    assertThat(client().produce("others", 1)).isEqualTo(Errors.NONE);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(ONE_CHECKPOINT_MS);
    broker = broker.killedAndStarted();
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker = broker.stoppedAndStarted();
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    assertThat(client().latest("others")).isEqualTo(2);
  }

  @Test
  void aPartitionWhoseFilesAreGoneIsNotServedAsIfItWereEmpty() throws IOException {
    client().create(TOPIC);
    client().produce(TOPIC, 20);
    broker = broker.stoppedAndStarted();
    for (String name : folder().directory("events-0").list()) {
      folder().directory("events-0").delete(name);
    }
    broker = broker.stoppedAndStarted();
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
  }

  @Test
  void withoutItsMetadataLogANodeDoesNotStartOverItsOwnData() throws IOException {
    client().create(TOPIC);
    client().produce(TOPIC, 1);
    folder().delete("__cluster_metadata-0");
    assertThatThrownBy(() -> broker.killedAndStarted())
        .hasMessageContaining("__cluster_metadata-0 is missing")
        .hasMessageContaining("events-0");
  }

  @Test
  void aDamagedPartitionCanBeDeletedAndItsNameUsedAgain() {
    client().create(TOPIC);
    client().produce(TOPIC, 20);
    broker = broker.stoppedAndStarted();
    disk.rot("data/events-0/00000000000000000000.log", 100);
    broker = broker.afterPowerLoss(1);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

    client().delete(TOPIC);
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
    assertThat(client().produce(TOPIC, 2)).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).isEqualTo(2);
  }

  @Test
  void aDeletionThatACrashInterruptsBeforeTheFolderIsRenamedIsFinishedByTheNextRun()
      throws IOException {
    client().create(TOPIC);
    client().produce(TOPIC, 1);
    client().delete(TOPIC);
    // As if the broker had died between the decision and the renaming.
    String deleted =
        folder().list().stream().filter(name -> name.endsWith("-delete")).findFirst().get();
    folder().rename(deleted, "events-0");

    broker = broker.killedAndStarted();
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
    assertThat(client().produce(TOPIC, 2)).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).isEqualTo(2);
    broker.advanceMs(ONE_CHECKPOINT_MS);
    assertThat(folder().list()).noneMatch(name -> name.startsWith("events-0."));
  }

  @Test
  void aMetadataLogWithoutItsFilesIsNotTakenForANewOne() throws IOException {
    client().create(TOPIC);
    client().produce(TOPIC, 1);
    broker = broker.stoppedAndStarted();
    Directory metadata = folder().directory("__cluster_metadata-0");
    for (String name : metadata.list()) {
      if (name.endsWith(".log")) {
        metadata.delete(name);
      }
    }
    assertThatThrownBy(() -> broker.killedAndStarted())
        .hasMessageContaining("__cluster_metadata-0 is missing or empty")
        .hasMessageContaining("events-0");
  }

  @Test
  void whatWasSetAsideIsTakenBackWhenItsTopicIsKnownAgain() throws IOException {
    client().create(TOPIC);
    client().produce(TOPIC, 20);
    Uuid id = broker.leader(TOPIC).log().id().topicId();
    broker = broker.stoppedAndStarted();
    // As a run left it whose metadata did not know the topic.
    folder().rename("events-0", "events-0." + id.toString().replace('-', '_') + "-stray");
    folder().delete("tidemark-checkpoint");
    broker = broker.killedAndStarted();
    assertThat(client().latest(TOPIC)).isEqualTo(20);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
    assertThat(folder().list()).noneMatch(name -> name.endsWith("-stray"));
  }

  @Test
  void aFolderOfATopicThatNobodyKnowsIsSetAsideAndKept() throws IOException {
    Directory foreign = folder().directory("events-0");
    foreign.create();
    foreign.writeAtomically(
        "partition.metadata",
        ("version: 0\ntopic_id: " + new Uuid(7, 7) + "\n").getBytes(StandardCharsets.UTF_8));
    broker = broker.killedAndStarted();
    broker.advanceMs(ONE_CHECKPOINT_MS);
    assertThat(folder().list())
        .anyMatch(name -> name.matches("events-0\\..*-stray"))
        .doesNotContain("events-0");
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
  }

  @Test
  void everyAcknowledgedRecordIsThereAfterAKill() {
    client().create(TOPIC);
    client().produce(TOPIC, 50);
    broker = broker.killedAndStarted();
    assertThat(client().latest(TOPIC)).isEqualTo(50);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).isEqualTo(51);
  }

  @Test
  void aDeletionThatACrashInterruptsIsFinishedByTheNextRun() throws IOException {
    client().create(TOPIC);
    client().produce(TOPIC, 3);
    client().delete(TOPIC);
    assertThat(folder().list())
        .as("renamed at once, deleted later")
        .anyMatch(name -> name.matches("events-0\\..*-delete"))
        .doesNotContain("events-0");
    broker = broker.killedAndStarted();
    broker.advanceMs(ONE_CHECKPOINT_MS);
    assertThat(folder().list()).noneMatch(name -> name.startsWith("events-0"));
    assertThat(client().create(TOPIC)).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).isZero();
  }

  @Test
  void anOffsetComesWithTheEpochOfItsRecordAndTheLatestWithTheCurrentOne() {
    // redpanda-data/redpanda#30101
    client().create(TOPIC);
    long timeMs = clock.wallMs();
    client().produce(TOPIC, 1);
    int written = client().leaderEpoch(TOPIC);
    broker = broker.killedAndStarted().killedAndStarted();
    assertThat(client().leaderEpoch(TOPIC))
        .as("of the present leader")
        .isGreaterThan(written)
        .isEqualTo(client().metadata(TOPIC).leaderEpoch());
    assertThat(client().offset(TOPIC, ListOffsetsRequest.EARLIEST_TIMESTAMP).leaderEpoch())
        .isEqualTo(written);
    assertThat(client().offset(TOPIC, timeMs).leaderEpoch()).isEqualTo(written);
  }

  @Test
  void whatALossOfPowerTookIsWrittenAnewInALaterEpoch() {
    // KAFKA-10527
    client().create(TOPIC);
    client().produce(TOPIC, 1);
    int rewritten = 0;
    for (int seed = 0; seed < 10; seed++) {
      broker = broker.stoppedAndStarted(); // all that is there is synced
      long end = client().latest(TOPIC);
      int before = client().leaderEpoch(TOPIC);
      client().produce(TOPIC, 1);
      broker = broker.afterPowerLoss(seed);
      rewritten += client().latest(TOPIC) == end ? 1 : 0;
      clock.advanceMs(1);
      assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
      ListOffsetsPartitionResponse anew = client().offset(TOPIC, clock.wallMs());
      assertThat(anew.offset()).as("seed %d", seed).isBetween(end, end + 1);
      assertThat(anew.leaderEpoch()).as("seed %d", seed).isGreaterThan(before);
    }
    assertThat(rewritten).isPositive();
  }

  @Test
  void theEndOfAnEpochIsThatOfTheEpochAskedForOrTheNextLowerOne() {
    client().create(TOPIC);
    client().produce(TOPIC, 3);
    int first = client().leaderEpoch(TOPIC);
    broker = broker.killedAndStarted(); // leads an epoch without records
    int second = client().leaderEpoch(TOPIC);
    assertThat(client().epochEnd(TOPIC, second, second)).isEqualTo(end(second, 3));
    assertThat(client().epochEnd(TOPIC, first, second)).isEqualTo(end(first, 3));
    broker = broker.killedAndStarted();
    int third = client().leaderEpoch(TOPIC);
    client().produce(TOPIC, 2);

    assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
    assertThat(client().epochEnd(TOPIC, first, -1)).isEqualTo(end(first, 3));
    assertThat(client().epochEnd(TOPIC, second, -1)).isEqualTo(end(first, 3));
    assertThat(client().epochEnd(TOPIC, third, -1)).isEqualTo(end(third, 5));
    assertThat(client().epochEnd(TOPIC, third + 1, -1)).isEqualTo(end(-1, -1));
    assertThat(client().epochEnd(TOPIC, first, second).errorCode())
        .isEqualTo(Errors.FENCED_LEADER_EPOCH.code());
    assertThat(client().epochEnd(TOPIC, first, third + 1).errorCode())
        .isEqualTo(Errors.UNKNOWN_LEADER_EPOCH.code());
  }

  private static EpochEndOffset end(int epoch, long offset) {
    return new EpochEndOffset().setPartition(0).setLeaderEpoch(epoch).setEndOffset(offset);
  }

  @Test
  void anEmptyPartitionBeginsInTheEpochOfItsLeaderAndHasNoRecordToFind() {
    client().create(TOPIC);
    assertEmptyAt(0);
    broker = broker.killedAndStarted();
    assertEmptyAt(0);
    client().produce(TOPIC, 5);
    broker = broker.killedAndStarted();
    assertThat(client().deleteRecordsBelow(TOPIC, 5).lowWatermark()).isEqualTo(5);
    assertEmptyAt(5);
    broker = broker.stoppedAndStarted();
    assertEmptyAt(5);
    client().produce(TOPIC, 1);
    int written = client().leaderEpoch(TOPIC);
    broker = broker.killedAndStarted();
    ListOffsetsPartitionResponse earliest =
        client().offset(TOPIC, ListOffsetsRequest.EARLIEST_TIMESTAMP);
    assertThat(earliest.offset()).isEqualTo(5);
    assertThat(earliest.leaderEpoch()).isEqualTo(written);
  }

  private void assertEmptyAt(long offset) {
    int epoch = client().leaderEpoch(TOPIC);
    for (long end :
        new long[] {ListOffsetsRequest.EARLIEST_TIMESTAMP, ListOffsetsRequest.LATEST_TIMESTAMP}) {
      ListOffsetsPartitionResponse found = client().offset(TOPIC, end);
      assertThat(found.offset()).isEqualTo(offset);
      assertThat(found.timestamp()).isEqualTo(-1);
      assertThat(found.leaderEpoch()).isEqualTo(epoch);
    }
    for (long time : new long[] {0, clock.wallMs(), ListOffsetsRequest.MAX_TIMESTAMP}) {
      ListOffsetsPartitionResponse found = client().offset(TOPIC, time);
      assertThat(found.offset()).isEqualTo(-1);
      assertThat(found.timestamp()).isEqualTo(-1);
      assertThat(found.leaderEpoch()).isEqualTo(-1);
    }
  }

  @Test
  void nothingIsDeletedWhileTheBrokerStops() throws IOException {
    // KAFKA-13315
    client().create(TOPIC, "internal.segment.bytes", "1000", "retention.ms", "10000");
    client().produce(TOPIC, 50);
    List<String> before = segments();
    assertThat(before).hasSizeGreaterThan(2);
    broker.stop(() -> broker.advanceMs(1_000_000));
    assertThat(folder().list()).contains(".kafka_cleanshutdown");
    assertThat(segments()).isEqualTo(before);

    broker = SimBroker.started(disk, clock);
    assertThat(client().earliest(TOPIC)).isZero();
    broker.advanceMs(ONE_CHECKPOINT_MS);
    assertThat(client().earliest(TOPIC)).isEqualTo(50);
  }

  private List<String> segments() throws IOException {
    return folder().directory("events-0").list().stream()
        .filter(name -> name.endsWith(".log"))
        .toList();
  }
}
