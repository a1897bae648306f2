package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.log.Batches;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A broker with three data folders, of which one fails, is missing, or is another one. */
class SeveralFoldersTest {
  private static final List<String> FOLDERS = List.of("a", "b", "c");
  private static final List<String> TOPICS = List.of("t0", "t1", "t2", "t3", "t4", "t5");
  private static final long LONGEST_PAUSE_MS = 31_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void startAndWrite() throws IOException {
    broker = SimBroker.formatted(disk, clock, FOLDERS);
    for (String topic : TOPICS) {
      assertThat(client().create(topic)).isEqualTo(Errors.NONE);
      assertThat(client().produce(topic, 3)).isEqualTo(Errors.NONE);
    }
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private Directory folder(String name) {
    return disk.root().directory(name);
  }

  private List<String> topicsIn(String folder) throws IOException {
    List<String> found = new ArrayList<>();
    for (String topic : TOPICS) {
      if (folder(folder).exists(topic + "-0")) {
        found.add(topic);
      }
    }
    return found;
  }

  private void rename(String from, String to) throws IOException {
    disk.root().rename(from, to);
  }

  @Test
  void aNewPartitionGoesWhereTheFewestAre() throws Exception {
    for (String folder : FOLDERS) {
      assertThat(topicsIn(folder)).hasSize(2);
    }
    List<String> gone = topicsIn("b");
    gone.forEach(client()::delete);
    assertThat(client().create("new1")).isEqualTo(Errors.NONE);
    assertThat(client().create("new2")).isEqualTo(Errors.NONE);
    assertThat(folder("b").list()).contains("new1-0", "new2-0");
    broker = broker.killedAndStarted();
    assertThat(client().create("new3")).isEqualTo(Errors.NONE);
    assertThat(client().create("new4")).isEqualTo(Errors.NONE);
    assertThat(client().create("new5")).isEqualTo(Errors.NONE);
    for (String folder : FOLDERS) {
      assertThat(folder(folder).list())
          .as(folder)
          .filteredOn(name -> name.matches("new[345]-0"))
          .hasSize(1);
    }
  }

  @Test
  void partitionsThatAreAddedGoWhereTheFewestAre() throws Exception {
    assertThat(client().partitions("t0", 5)).isEqualTo(Errors.NONE);
    for (int partition = 0; partition < 5; partition++) {
      ByteBuffer batch = Batches.plain(clock.wallMs(), "v");
      assertThat(client().produce("t0", partition, batch)).isEqualTo(Errors.NONE);
    }
    List<Integer> counts = new ArrayList<>();
    for (String folder : FOLDERS) {
      counts.add(
          (int) folder(folder).list().stream().filter(SeveralFoldersTest::isPartition).count());
    }
    assertThat(counts).containsExactlyInAnyOrder(3, 3, 4);
    broker = broker.killedAndStarted();
    for (int partition = 1; partition < 5; partition++) {
      assertThat(client().offset("t0", partition, ListOffsetsRequest.LATEST_TIMESTAMP).offset())
          .isEqualTo(1);
    }
  }

  private static boolean isPartition(String name) {
    return name.matches("t\\d-\\d");
  }

  @Test
  void aFolderThatFailsGoesOfflineAloneAndItsPartitionsServeAgainWhenItAnswers() throws Exception {
    List<String> lost = topicsIn("b");
    disk.faults().failUnder("/b");
    assertThat(client().produce(lost.get(0), 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(LONGEST_PAUSE_MS);
    for (String topic : TOPICS) {
      boolean offline = lost.contains(topic);
      Errors error = Errors.forCode(client().metadata(topic).errorCode());
      assertThat(error).isEqualTo(offline ? Errors.LEADER_NOT_AVAILABLE : Errors.NONE);
      assertThat(client().metadata(topic).offlineReplicas().isEmpty()).isEqualTo(!offline);
      assertThat(client().produce(topic, 1))
          .isEqualTo(offline ? Errors.KAFKA_STORAGE_ERROR : Errors.NONE);
    }
    assertThat(broker.lastWords()).isEmpty();

    disk.faults().failUnder(null);
    broker.advanceMs(LONGEST_PAUSE_MS);
    for (String topic : TOPICS) {
      assertThat(client().metadata(topic).errorCode()).isEqualTo(Errors.NONE.code());
      assertThat(client().produce(topic, 1)).isEqualTo(Errors.NONE);
      assertThat(client().latest(topic)).isEqualTo(lost.contains(topic) ? 4 : 5);
    }
  }

  @Test
  void theFoldersAreDescribedWithTheirPartitionsAndAFailedOneWithItsError() throws Exception {
    for (short version = 1; version <= 5; version++) {
      Map<String, DescribeLogDirsResult> all = client().logDirs(version);
      assertThat(all.keySet()).containsExactly("/a", "/b", "/c");
      for (String folder : FOLDERS) {
        DescribeLogDirsResult dir = all.get("/" + folder);
        assertThat(dir.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(dir.topics()).extracting(topic -> topic.name()).isEqualTo(topicsIn(folder));
        assertThat(dir.topics()).allMatch(topic -> topic.partitions().get(0).partitionSize() > 200);
        assertThat(dir.totalBytes()).isEqualTo(version < 4 ? -1 : Long.MAX_VALUE);
      }
    }
    String lost = topicsIn("b").get(0);
    disk.faults().failUnder("/b");
    client().produce(lost, 1);
    broker.advanceMs(LONGEST_PAUSE_MS);
    DescribeLogDirsResult failed = client().logDirs((short) 4).get("/b");
    assertThat(failed.errorCode()).isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
    assertThat(failed.topics()).isEmpty();
  }

  @Test
  void aReadThatFailsFindsAFailedFolderToo() throws Exception {
    List<String> lost = topicsIn("c");
    broker.advanceMs(600_000); // idle files are closed
    disk.faults().failUnder("/c");
    assertThat(client().fetchError(lost.get(0))).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(2_000);
    assertThat(client().metadata(lost.get(1)).errorCode())
        .isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
  }

  @Test
  void withoutTheFolderOfTheMetadataLogTheBrokerStopsWithOneLineWhy() {
    disk.faults().failUnder("/a");
    assertThat(client().create("more")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(LONGEST_PAUSE_MS);
    assertThat(broker.lastWords())
        .singleElement()
        .asString()
        .contains("/a", "metadata log", "the disk is gone", "Repair")
        .doesNotContain("\n");
  }

  @Test
  void aDiskThatIsUnmountedUnderTheBrokerIsNotTakenForAnEmptyFolder() throws Exception {
    List<String> lost = topicsIn("b");
    rename("b", "unmounted");
    folder("b").create();
    List<Errors> created = new ArrayList<>();
    for (String topic : List.of("new1", "new2", "new3")) {
      created.add(client().create(topic)); // one in each folder
    }
    assertThat(created)
        .containsExactlyInAnyOrder(Errors.NONE, Errors.NONE, Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(600_000); // idle files are closed
    client().produce(lost.get(0), 1);
    broker.advanceMs(LONGEST_PAUSE_MS);
    assertThat(folder("b").list()).noneMatch(name -> name.matches(".*-\\d+"));
    assertThat(client().produce(lost.get(0), 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

    disk.root().delete("b");
    rename("unmounted", "b");
    broker.advanceMs(LONGEST_PAUSE_MS);
    assertThat(client().produce(lost.get(0), 1)).isEqualTo(Errors.NONE);
    assertThat(client().latest(lost.get(0))).isEqualTo(4);
  }

  @Test
  void aStartWithAnEmptyFolderIsRefusedAndSaysThatADiskMayBeMissing() throws Exception {
    rename("b", "unmounted");
    folder("b").create();
    assertThatThrownBy(() -> broker.killedAndStarted())
        .hasMessageContaining("/b is not formatted")
        .hasMessageContaining("mount it");
  }

  @Test
  void foldersThatChangedPlacesAreTheSameFolders() throws Exception {
    rename("b", "x");
    rename("c", "b");
    rename("x", "c");
    broker = broker.killedAndStarted();
    for (String topic : TOPICS) {
      assertThat(client().latest(topic)).isEqualTo(3);
    }
  }

  @Test
  void thePartitionsOfALostFolderStayOfflineAndAreNotCreatedElsewhere() throws Exception {
    List<String> lost = topicsIn("b");
    broker.advanceMs(61_000);
    rename("b", "lost");
    List<String> left = List.of("a", "c");
    disk.processKill();
    broker = SimBroker.started(disk, clock, left);
    assertThat(client().produce(lost.get(0), 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    assertThat(client().whyRefused(lost.get(0))).contains("directory.id", "mount that disk");
    assertThat(topicsIn("a")).hasSize(2);
    assertThat(topicsIn("c")).hasSize(2);

    client().delete(lost.get(0));
    assertThat(client().create(lost.get(0))).isEqualTo(Errors.NONE);
    assertThat(client().produce(lost.get(0), 1)).isEqualTo(Errors.NONE);

    rename("lost", "b");
    disk.processKill();
    broker = SimBroker.started(disk, clock, FOLDERS);
    assertThat(client().latest(lost.get(0))).isEqualTo(1);
    assertThat(client().latest(lost.get(1))).isEqualTo(3);
    broker.advanceMs(61_000);
    assertThat(folder("b").list())
        .as("its deletion is on record and is finished now")
        .noneMatch(name -> name.startsWith(lost.get(0) + "-"));
  }

  @Test
  void aPartitionWhoseFolderIsGoneIsNotServedAsIfItWereNew() throws Exception {
    String topic = topicsIn("c").get(0);
    broker.advanceMs(61_000);
    folder("c").delete(topic + "-0");
    broker = broker.killedAndStarted();
    assertThat(client().whyRefused(topic)).contains(topic + "-0 is missing", "restore it");
    assertThat(folder("c").exists(topic + "-0")).isFalse();
  }

  @Test
  void aPartitionMovedByHandIsServedFromWhereItIs() throws Exception {
    String topic = topicsIn("c").get(0);
    broker = broker.stoppedAndStarted();
    copy(topic + "-0", "c", "b");
    folder("c").delete(topic + "-0");
    broker = broker.killedAndStarted();
    assertThat(client().latest(topic)).isEqualTo(3);
    assertThat(client().produce(topic, 1)).isEqualTo(Errors.NONE);
  }

  @Test
  void aPartitionMovedByHandIsNotMadeAnewWhereItWasWhenItsNewFolderIsMissing() throws Exception {
    String topic = topicsIn("c").get(0);
    broker = broker.stoppedAndStarted();
    copy(topic + "-0", "c", "b");
    folder("c").delete(topic + "-0");
    broker = broker.killedAndStarted();
    broker.advanceMs(61_000);
    disk.processKill();
    broker = SimBroker.started(disk, clock, List.of("a", "c"));
    assertThat(client().whyRefused(topic)).contains("directory.id", "mount that disk");
    assertThat(folder("c").exists(topic + "-0")).isFalse();

    disk.processKill();
    broker = SimBroker.started(disk, clock, FOLDERS);
    assertThat(client().latest(topic)).isEqualTo(3);
    assertThat(folder("b").exists(topic + "-0")).isTrue();
  }

  @Test
  void aCopyInAnotherFolderIsSetAside() throws Exception {
    String topic = topicsIn("c").get(0);
    copy(topic + "-0", "c", "b");
    assertThat(client().produce(topic, 1)).isEqualTo(Errors.NONE);
    broker = broker.killedAndStarted();
    assertThat(client().latest(topic)).isEqualTo(4);
    assertThat(folder("b").list()).anyMatch(name -> name.endsWith("-stray"));
  }

  private void copy(String partition, String from, String to) throws IOException {
    Directory target = folder(to).directory(partition);
    target.create();
    for (String name : folder(from).directory(partition).list()) {
      target.writeAtomically(name, folder(from).directory(partition).readAll(name));
    }
  }
}
