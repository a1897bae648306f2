package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Partitions that move between the folders of a broker. */
class PartitionMovesTest {
  private static final List<String> FOLDERS = List.of("a", "b");
  private static final String TOPIC = "moving";
  private static final int RECORDS = 30;
  private static final long LONGEST_PAUSE_MS = 31_000;

  private VirtualDisk disk = new VirtualDisk(1);
  private VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private Directory folder(String name) {
    return disk.root().directory(name);
  }

  /** A topic in folder a whose records are synced before they are acknowledged. */
  private void begin(long seed) throws IOException {
    disk = new VirtualDisk(seed);
    clock = new VirtualClock(1_000_000);
    broker = SimBroker.formatted(disk, clock, FOLDERS);
    client().create("other");
    String path = folder("a").exists("other-0") ? "/b" : "/a";
    client().create(TOPIC, "flush.messages", "1", "internal.segment.bytes", "700");
    if (path.equals("/b")) {
      assertThat(client().move(TOPIC, "/a")).isEqualTo(Errors.NONE);
    }
    assertThat(client().produce(TOPIC, RECORDS)).isEqualTo(Errors.NONE);
  }

  @Test
  void aPartitionMovesWithAllItsRecordsAndServesInItsNewFolder() throws Exception {
    begin(1);
    int epoch = client().leaderEpoch(TOPIC);
    assertThat(client().move(TOPIC, "/b")).isEqualTo(Errors.NONE);
    assertThat(folder("b").list()).contains(TOPIC + "-0");
    assertThat(folder("a").list()).doesNotContain(TOPIC + "-0");
    assertThat(client().latest(TOPIC)).isEqualTo(RECORDS);
    assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
    assertThat(client().leaderEpoch(TOPIC)).isGreaterThan(epoch);
    assertThat(client().logDirs((short) 4).get("/b").topics())
        .anyMatch(topic -> topic.name().equals(TOPIC));
    broker.advanceMs(61_000);
    assertThat(folder("a").list()).noneMatch(name -> name.startsWith(TOPIC));
    assertThat(disk.openFiles()).isLessThan(20);

    broker = broker.killedAndStarted();
    assertThat(client().latest(TOPIC)).isEqualTo(RECORDS + 1);
    assertThat(client().move(TOPIC, "/a")).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).isEqualTo(RECORDS + 1);
    broker = broker.stoppedAndStarted();
    assertThat(client().latest(TOPIC)).isEqualTo(RECORDS + 1);
  }

  @Test
  void whatCannotBeMovedIsRefused() throws Exception {
    begin(1);
    assertThat(client().move(TOPIC, "/nowhere")).isEqualTo(Errors.LOG_DIR_NOT_FOUND);
    assertThat(client().move("none", "/b")).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    long changes = disk.faults().changes();
    assertThat(client().move(TOPIC, "/a")).isEqualTo(Errors.NONE);
    assertThat(disk.faults().changes()).as("it is there already").isEqualTo(changes);
  }

  @Test
  void afterPowerLossAtAnyChangeOfAMoveAllIsThereInOneOfTheFolders() throws Exception {
    int crashes = 0;
    for (int change = 0; crashes == change; change++) {
      begin(change);
      disk.faults().powerOffAt(disk.faults().changes() + change);
      try {
        client().move(TOPIC, "/b");
      } catch (PowerWentOff e) {
        crashes++;
      }
      disk.faults().powerOffAt(-1);
      disk.powerLoss(change);
      broker = SimBroker.started(disk, clock, FOLDERS);
      assertServes("power off at change " + change);
    }
    assertThat(crashes).isGreaterThan(20);
  }

  @Test
  void afterAFailureOfAnyChangeOfAMoveThePartitionServesAgain() throws Exception {
    for (int change = 0; change < 70; change++) {
      begin(change);
      disk.faults().failAt(disk.faults().changes() + change);
      client().move(TOPIC, "/b");
      broker.advanceMs(LONGEST_PAUSE_MS);
      disk.faults().failAt(-1);
      String when = "failure of change " + change;
      assertServes(when);
      broker = broker.killedAndStarted();
      assertThat(client().latest(TOPIC)).as(when).isEqualTo(RECORDS + 1);
    }
  }

  private void assertServes(String when) throws IOException {
    assertThat(client().latest(TOPIC)).as(when).isEqualTo(RECORDS);
    assertThat(client().produce(TOPIC, 1)).as(when).isEqualTo(Errors.NONE);
    assertThat(client().latest(TOPIC)).as(when).isEqualTo(RECORDS + 1);
    assertThat(client().earliest(TOPIC)).as(when).isZero();
    assertThat(client().fetchError(TOPIC)).as(when).isEqualTo(Errors.NONE);
  }
}
