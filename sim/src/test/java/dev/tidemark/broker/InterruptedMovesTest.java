package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
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
}
