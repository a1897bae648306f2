package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** DeleteRecords frees the space of what it removed also where nobody writes any more. */
class DeletedRecordsTest {
  private static final List<String> TOPICS = List.of("events", "compacted", "kept-for-ever");
  private static final int RECORDS = 20;
  private static final long IDLE_MS = 40_000;

  /** Retention looks every five minutes, and files that count no more stay a moment. */
  private static final long ONE_LOOK_MS = 310_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
    client().create("events", "internal.segment.bytes", "500");
    client()
        .create("compacted", "cleanup.policy", "compact,delete", "internal.segment.bytes", "500");
    client().create("kept-for-ever", "retention.ms", "-1", "internal.segment.bytes", "500");
    for (String topic : TOPICS) {
      assertThat(client().produce(topic, RECORDS)).isEqualTo(Errors.NONE);
    }
  }

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private List<String> logFiles(String topic) throws IOException {
    return disk.root().directory("data").directory(topic + "-0").list().stream()
        .filter(name -> name.contains(".log"))
        .toList();
  }

  private void deleteAllRecords() throws IOException {
    for (String topic : TOPICS) {
      assertThat(logFiles(topic)).hasSizeGreaterThan(2);
      client().deleteRecordsBelow(topic, RECORDS);
    }
  }

  private void assertFilesAreGone() throws IOException {
    for (String topic : TOPICS) {
      assertThat(logFiles(topic)).as(topic).containsExactly("00000000000000000020.log");
      assertThat(client().earliest(topic)).isEqualTo(RECORDS);
      assertThat(client().latest(topic)).isEqualTo(RECORDS);
    }
  }

  @Test
  void atTheNextLookOfRetention() throws IOException {
    broker.advanceMs(IDLE_MS);
    deleteAllRecords();
    broker.advanceMs(ONE_LOOK_MS);
    assertFilesAreGone();
  }

  @Test
  void alsoAfterARestartInBetween() throws IOException {
    broker.advanceMs(IDLE_MS);
    deleteAllRecords();
    broker = broker.stoppedAndStarted();
    broker.advanceMs(ONE_LOOK_MS);
    assertFilesAreGone();
  }

  @Test
  void andPeriodicWorkRestsAgainAfterwards() throws IOException {
    deleteAllRecords();
    broker.advanceMs(2 * ONE_LOOK_MS);
    long visits = broker.visits();
    broker.advanceMs(ONE_LOOK_MS);
    assertThat(broker.visits()).isEqualTo(visits);
  }
}
