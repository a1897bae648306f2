package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Retention takes segments of a log away while it is compacted ({@code compact,delete}). */
class CleanerAndRetentionTest {
  private static final String TOPIC = "both";

  /** One step of the cleaner may read and write 2 MiB, so this is one step in 20 s. */
  private static final Map<String, String> SLOW_CLEANER =
      Map.of("log.cleaner.io.max.bytes.per.second", "" + 2 * (1 << 20) / 20);

  // The cleaner looks every 15 s. Its first step begins at 15 s, the second would at 35 s.
  private static final long SECOND_WRITE_MS = 10_000;
  private static final long RETENTION_MS = 25_000; // looked at first after 30 s
  private static final long SECOND_STEP_MS = 36_000;
  private static final long AGAIN_MS = 80_000; // a quarantine would last until 95 s
  private static final long DONE_MS = 300_000; // before the second look of retention

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  private SimBroker broker;

  private SimClient client() {
    return new SimClient(broker, clock);
  }

  private void write(int rounds) {
    for (int i = 0; i < rounds; i++) {
      assertThat(client().produce(TOPIC, 10)).isEqualTo(Errors.NONE);
    }
  }

  private Directory folder() {
    return disk.root().directory("data").directory(TOPIC + "-0");
  }

  private long bytes() throws IOException {
    long bytes = 0;
    for (String name : folder().list()) {
      bytes += name.endsWith(".log") ? folder().size(name) : 0;
    }
    return bytes;
  }

  @Test
  void theLogIsNotTakenForOneThatCannotBeCompacted() throws Exception {
    broker = SimBroker.formatted(disk, clock, SLOW_CLEANER);
    client()
        .create(
            TOPIC,
            "cleanup.policy",
            "compact,delete",
            "retention.ms",
            "" + RETENTION_MS,
            "internal.segment.bytes",
            "2000");
    write(20);
    broker.advanceMs(SECOND_WRITE_MS);
    write(20);
    long all = bytes();
    broker.advanceMs(SECOND_STEP_MS - SECOND_WRITE_MS);
    long kept = bytes();
    assertThat(kept).as("retention took what was old").isBetween(all / 3, all * 2 / 3);
    assertThat(client().earliest(TOPIC)).isBetween(150L, 200L);

    broker.advanceMs(AGAIN_MS - SECOND_STEP_MS);
    assertThat(bytes()).as("the first segment is compacted").isLessThan(kept - 1000);
    broker.advanceMs(DONE_MS - AGAIN_MS);
    assertThat(bytes()).as("all are").isLessThan(all / 4);
    assertThat(client().latest(TOPIC)).isEqualTo(400);
    assertThat(client().fetchError(TOPIC)).isEqualTo(Errors.NONE);
    assertThat(folder().list()).noneMatch(name -> name.endsWith(".cleaned"));
  }
}
