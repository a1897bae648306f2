package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.log.Batches;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.Test;

/**
 * Moves of a partition from folder b to folder c, with something else happening after each of their
 * steps. Folder a holds the metadata log.
 */
class InterruptedMovesTest {
  private static final List<String> FOLDERS = List.of("a", "b", "c");
  private static final String TOPIC = "moving";
  private static final String PARTITION = TOPIC + "-0";
  private static final int RECORDS = 12;
  private static final long LONGEST_PAUSE_MS = 31_000;
  private static final long UNTIL_DELETED_MS = 62_000;

  private VirtualDisk disk = new VirtualDisk(1);
  private VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  private interface Happening {
    void run() throws IOException;
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private Directory folder(String name) {
    return disk.root().directory(name);
  }

  private void begin(long seed, String... configs) throws IOException {
    disk = new VirtualDisk(seed);
    clock = new VirtualClock(1_000_000);
    broker = SimBroker.formatted(disk, clock, FOLDERS);
    assertThat(client().create(TOPIC, configs)).isEqualTo(Errors.NONE);
    if (!folder("b").exists(PARTITION)) {
      assertThat(client().move(TOPIC, "/b")).isEqualTo(Errors.NONE);
    }
    assertThat(client().produce(TOPIC, RECORDS)).isEqualTo(Errors.NONE);
    broker.advanceMs(UNTIL_DELETED_MS);
    assertThat(folder("b").exists(PARTITION)).isTrue();
  }

  /** Lets {@code what} happen when the move has taken no step, one, two and so on to its end. */
  private void atEachStepOfAMove(Happening what, Happening then) throws IOException {
    boolean ended = false;
    int steps = 0;
    for (; !ended; steps++) {
      begin(steps);
      client().beginMove(TOPIC, "/c");
      for (int i = 0; i < steps && !ended; i++) {
        ended = !broker.runNext();
      }
      try {
        what.run();
        then.run();
      } catch (AssertionError e) {
        throw new AssertionError("after step " + steps + ": " + e.getMessage(), e);
      }
    }
    assertThat(steps).isGreaterThan(12);
  }

  private String home() throws IOException {
    return folder("c").exists(PARTITION) ? "c" : "b";
  }

  private void startWithout(String lost) {
    List<String> left = new ArrayList<>(FOLDERS);
    left.remove(lost);
    disk.processKill();
    broker = SimBroker.started(disk, clock, left);
  }

  /** A start without the folder that holds the partition must not make it in another. */
  private void assertNeverMadeAnew() throws IOException {
    String home = home();
    startWithout(home);
    assertThat(client().whyRefused(TOPIC)).contains("mount that disk");
    for (String other : FOLDERS) {
      assertThat(folder(other).exists(PARTITION)).as(other).isEqualTo(other.equals(home));
    }
    disk.processKill();
    broker = SimBroker.started(disk, clock, FOLDERS);
    assertServes();
  }

  /** Without a folder that may hold it there is all of it, or none; with all folders, all. */
  private void assertAllOrNothingWithout(String lost) {
    startWithout(lost);
    if (client().whyRefused(TOPIC) == null) {
      assertThat(client().latest(TOPIC)).isEqualTo(RECORDS + 1);
      return;
    }
    disk.processKill();
    broker = SimBroker.started(disk, clock, FOLDERS);
    assertServes();
  }

  private void assertServes() {
    assertThat(client().latest(TOPIC)).isEqualTo(RECORDS);
    assertThat(client().earliest(TOPIC)).isZero();
    assertThat(client().fetchError(TOPIC)).isEqualTo(Errors.NONE);
  }

  @Test
  void aMoveThatIsCalledOffLeavesNothingBehindInTheMetadata() throws Exception {
    atEachStepOfAMove(
        () -> client().move(TOPIC, "/b"),
        () -> {
          broker.advanceMs(UNTIL_DELETED_MS);
          assertServes();
          assertThat(folder("b").list()).noneMatch(name -> name.endsWith("-future"));
          assertThat(folder("c").list()).noneMatch(name -> name.endsWith("-future"));
          assertNeverMadeAnew();
        });
  }

  @Test
  void aMoveThatAnotherOneReplacesLeavesTheOtherInTheMetadata() throws Exception {
    atEachStepOfAMove(
        () -> client().move(TOPIC, "/a"),
        () -> {
          broker.advanceMs(UNTIL_DELETED_MS);
          assertServes();
          boolean inA = folder("a").exists(PARTITION);
          if (inA) {
            assertThat(folder("c").list()).noneMatch(name -> name.startsWith(TOPIC));
            startWithout("c");
            assertServes();
          } else {
            assertNeverMadeAnew();
          }
        });
  }

  @Test
  void aMoveThatIsCalledOffAndBegunAgainEndsInItsFolder() throws Exception {
    atEachStepOfAMove(
        () -> {
          client().beginMove(TOPIC, "/b");
          client().beginMove(TOPIC, "/c");
          client().latest(TOPIC);
        },
        () -> {
          assertServes();
          assertThat(home()).isEqualTo("c");
          assertNeverMadeAnew();
        });
  }

  @Test
  void afterAStopDuringAMoveThePartitionIsNotMadeAnew() throws Exception {
    for (String lost : List.of("b", "c")) {
      atEachStepOfAMove(() -> broker.stop(), () -> assertAllOrNothingWithout(lost));
    }
  }

  @Test
  void afterAKillDuringAMoveThePartitionIsNotMadeAnew() throws Exception {
    for (String lost : List.of("b", "c")) {
      atEachStepOfAMove(() -> disk.processKill(), () -> assertAllOrNothingWithout(lost));
    }
  }

  @Test
  void afterAStartThatFoundThePartitionWhereItWasThatFolderIsItsOwn() throws Exception {
    atEachStepOfAMove(
        () -> disk.processKill(),
        () -> {
          broker = SimBroker.started(disk, clock, FOLDERS);
          assertServes();
          broker.advanceMs(UNTIL_DELETED_MS);
          assertThat(folder("c").list()).noneMatch(name -> name.endsWith("-future"));
          assertNeverMadeAnew();
        });
  }

  @Test
  void afterAFailureOfAnyChangeOfAMoveThePartitionIsNotMadeAnew() throws Exception {
    for (int change = 0; change < 70; change++) {
      begin(change);
      disk.faults().failAt(disk.faults().changes() + change);
      client().move(TOPIC, "/c");
      broker.advanceMs(LONGEST_PAUSE_MS);
      disk.faults().failAt(-1);
      try {
        assertServes();
        assertNeverMadeAnew();
      } catch (AssertionError e) {
        throw new AssertionError("failure of change " + change + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void afterPowerLossAtAnyChangeOfAMoveThePartitionIsNotMadeAnew() throws Exception {
    for (String lost : List.of("b", "c")) {
      int crashes = 0;
      for (int change = 0; crashes == change; change++) {
        begin(change, "flush.messages", "1");
        disk.faults().powerOffAt(disk.faults().changes() + change);
        try {
          client().move(TOPIC, "/c");
        } catch (PowerWentOff e) {
          crashes++;
        }
        disk.faults().powerOffAt(-1);
        disk.powerLoss(change);
        try {
          assertAllOrNothingWithout(lost);
        } catch (AssertionError e) {
          throw new AssertionError("power off at change " + change + ": " + e.getMessage(), e);
        }
      }
      assertThat(crashes).isGreaterThan(20);
    }
  }

  @Test
  void aSourceThatIsEmptiedDuringItsMoveMovesAllTheSame() throws Exception {
    atEachStepOfAMove(
        () -> {
          client().beginProduce(TOPIC);
          client().beginDeletingRecords(TOPIC);
          client().latest(TOPIC);
        },
        () -> {
          assertThat(home()).isEqualTo("c");
          long end = client().latest(TOPIC);
          assertThat(end).isGreaterThanOrEqualTo(RECORDS);
          assertThat(client().earliest(TOPIC)).isIn(0L, end);
          assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
          assertThat(client().latest(TOPIC)).isEqualTo(end + 1);
          broker = broker.killedAndStarted();
          assertThat(client().latest(TOPIC)).isEqualTo(end + 1);
        });
  }

  @Test
  void aTopicThatIsDeletedDuringAMoveLeavesNoFolder() throws Exception {
    atEachStepOfAMove(
        () -> client().delete(TOPIC),
        () -> {
          broker.advanceMs(UNTIL_DELETED_MS);
          for (String name : FOLDERS) {
            assertThat(folder(name).list()).as(name).noneMatch(one -> one.startsWith(TOPIC));
          }
          assertThat(disk.openFiles()).isLessThan(12);
          assertThat(client().create(TOPIC, 6)).isEqualTo(Errors.NONE);
          assertThat(client().produce(TOPIC, 1)).isEqualTo(Errors.NONE);
          assertThat(client().latest(TOPIC)).isEqualTo(1);
        });
  }

  @Test
  void aTopicThatIsDeletedDuringAMoveAndMadeAgainIsNotTakenForTheOldOne() throws Exception {
    atEachStepOfAMove(
        () -> {
          client().beginDeletion(TOPIC);
          client().create(TOPIC, 6);
        },
        () -> {
          broker.advanceMs(LONGEST_PAUSE_MS);
          for (int i = 0; i < 6; i++) {
            assertThat(client().produce(TOPIC, i, Batches.plain(clock.wallMs(), "new")))
                .isEqualTo(Errors.NONE);
          }
          broker.advanceMs(UNTIL_DELETED_MS);
          broker = broker.killedAndStarted();
          for (int i = 0; i < 6; i++) {
            assertThat(client().offset(TOPIC, i, ListOffsetsRequest.LATEST_TIMESTAMP).offset())
                .isEqualTo(1);
          }
          for (String name : FOLDERS) {
            assertThat(folder(name).list())
                .as(name)
                .noneMatch(one -> one.startsWith(TOPIC) && !one.matches(TOPIC + "-\\d"));
          }
        });
  }

  @Test
  void aPartitionMovesBackAndForthWithoutRest() throws Exception {
    begin(1);
    for (int i = 0; i < 3; i++) {
      for (String to : List.of("c", "b")) {
        assertThat(client().move(TOPIC, "/" + to)).isEqualTo(Errors.NONE);
        assertServes();
        for (String name : FOLDERS) {
          assertThat(folder(name).exists(PARTITION)).as(name).isEqualTo(name.equals(to));
        }
      }
    }
    client().delete(TOPIC);
    broker.advanceMs(UNTIL_DELETED_MS);
    for (String name : FOLDERS) {
      assertThat(folder(name).list()).as(name).noneMatch(one -> one.startsWith(TOPIC));
    }
  }
}
