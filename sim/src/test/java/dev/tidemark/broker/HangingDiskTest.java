package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.Batches;
import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A broker with three data folders, of which one neither answers nor fails for a long time. */
class HangingDiskTest {
  private static final List<String> FOLDERS = List.of("a", "b", "c");
  private static final List<String> TOPICS = List.of("t0", "t1", "t2", "t3", "t4", "t5");
  private static final long LONGEST_PAUSE_MS = 31_000;
  private static final long UNTIL_NOTICED_MS = FolderWork.MAX_MS + 3_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void startAndWrite() throws IOException {
    broker = SimBroker.formatted(disk, clock, FOLDERS);
    for (String topic : TOPICS) {
      assertThat(client().create(topic, "flush.messages", "1")).isEqualTo(Errors.NONE);
      assertThat(client().produce(topic, 3)).isEqualTo(Errors.NONE);
    }
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private List<String> topicsIn(String folder) throws IOException {
    List<String> found = new ArrayList<>();
    for (String topic : TOPICS) {
      if (disk.root().directory(folder).exists(topic + "-0")) {
        found.add(topic);
      }
    }
    return found;
  }

  private void hang(String folder) {
    disk.faults().hangUnder("/" + folder);
  }

  private void answer() {
    disk.faults().hangUnder(null);
    broker.release();
  }

  private SimExchange send(String topic) {
    return client().send(topic, Batches.plain(clock.wallMs(), "v"));
  }

  private void assertOthersServe(List<String> lost) {
    for (String topic : TOPICS) {
      if (!lost.contains(topic)) {
        assertThat(client().produce(topic, 1)).as(topic).isEqualTo(Errors.NONE);
        assertThat(client().metadata(topic).errorCode()).isEqualTo(Errors.NONE.code());
      }
    }
  }

  private void assertOffline(List<String> lost) {
    for (String topic : lost) {
      assertThat(client().metadata(topic).errorCode())
          .isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
      assertThat(client().whyRefused(topic)).contains("/b failed", "hangs");
    }
    assertThat(broker.lastWords()).isEmpty();
  }

  @Test
  void aSyncThatDoesNotComeBackHoldsUpNoOtherFolderAndTakesItsOwnOffline() throws Exception {
    List<String> lost = topicsIn("b");
    hang("b");
    SimExchange waiting = send(lost.get(0));
    assertThat(waiting.isAnswered()).isFalse();
    assertOthersServe(lost);
    broker.advanceMs(UNTIL_NOTICED_MS);
    assertOffline(lost);
    assertOthersServe(lost);

    answer();
    broker.advanceMs(LONGEST_PAUSE_MS);
    for (String topic : lost) {
      assertThat(client().produce(topic, 1)).isEqualTo(Errors.NONE);
      assertThat(client().latest(topic)).isBetween(4L, 5L);
    }
  }

  @Test
  void aProbeThatDoesNotComeBackTakesTheFolderOffline() throws Exception {
    List<String> lost = topicsIn("b");
    hang("b");
    disk.faults().failNext(Change.WRITE, 0);
    assertThat(client().produce(lost.get(0), 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    assertThat(client().latest(lost.get(1))).as("it serves meanwhile").isEqualTo(3);
    broker.advanceMs(UNTIL_NOTICED_MS);
    assertOffline(lost);
    assertOthersServe(lost);

    answer();
    broker.advanceMs(LONGEST_PAUSE_MS);
    for (String topic : lost) {
      assertThat(client().produce(topic, 1)).isEqualTo(Errors.NONE);
    }
  }

  @Test
  void aFolderThatHangsWhileAPartitionOfItIsOpenedAgainServesAllOfThemAgain() throws Exception {
    List<String> lost = topicsIn("b");
    disk.faults().failNext(Change.WRITE, 0);
    assertThat(client().produce(lost.get(0), 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.hold("repair");
    broker.advanceMs(1_000); // the probe finds nothing
    hang("b");
    broker.release();
    SimExchange unused = send(lost.get(1));
    broker.advanceMs(UNTIL_NOTICED_MS);
    assertOffline(lost);
    assertOthersServe(lost);

    answer();
    broker.advanceMs(LONGEST_PAUSE_MS);
    for (String topic : lost) {
      assertThat(client().produce(topic, 1)).as(topic).isEqualTo(Errors.NONE);
      assertThat(client().latest(topic)).isBetween(4L, 5L);
    }
  }

  @Test
  void theRoomOfTheOthersIsToldAndTopicsAreCreatedThere() throws Exception {
    hang("b");
    assertThat(client().create("new")).isEqualTo(Errors.NONE);
    SimExchange described = client().describeLogDirs();
    assertThat(described.isAnswered()).isFalse();
    broker.advanceMs(11_000);
    for (DescribeLogDirsResult result : SimClient.logDirs(described).values()) {
      boolean hangs = result.logDir().equals("/b");
      assertThat(result.errorCode())
          .isEqualTo(hangs ? Errors.KAFKA_STORAGE_ERROR.code() : Errors.NONE.code());
      assertThat(result.topics().isEmpty()).isEqualTo(hangs);
    }
  }

  @Test
  void theOthersAreStoppedInOrder() throws Exception {
    List<String> lost = topicsIn("b");
    hang("b");
    SimExchange unused = send(lost.get(0));
    broker.advanceMs(UNTIL_NOTICED_MS);
    broker.stop();
    for (String folder : FOLDERS) {
      assertThat(disk.root().directory(folder).exists(".kafka_cleanshutdown"))
          .as(folder)
          .isEqualTo(!folder.equals("b"));
    }
    disk.processKill();
    disk.faults().hangUnder(null);
    broker = SimBroker.started(disk, clock, FOLDERS);
    for (String topic : TOPICS) {
      assertThat(client().latest(topic)).isBetween(3L, 4L);
      assertThat(client().produce(topic, 1)).isEqualTo(Errors.NONE);
    }
  }

  @Test
  void withoutTheFolderOfTheMetadataLogTheBrokerStopsWithOneLineWhy() throws Exception {
    hang("a");
    SimExchange unused = send(topicsIn("a").get(0));
    broker.advanceMs(UNTIL_NOTICED_MS);
    assertThat(broker.lastWords())
        .singleElement()
        .asString()
        .contains("/a", "metadata log", "hangs", "Repair")
        .doesNotContain("\n");
  }
}
