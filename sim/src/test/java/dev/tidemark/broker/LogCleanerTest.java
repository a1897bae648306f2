package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.log.Batches;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compaction in a whole broker. */
class LogCleanerTest {
  private static final String[] COMPACT = {
    "cleanup.policy", "compact", "internal.segment.bytes", "2000"
  };
  private static final long SOON_MS = 40_000;

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

  /** Ten keys, over and over. */
  private void write(String topic, int rounds) {
    for (int i = 0; i < rounds; i++) {
      assertThat(client().produce(topic, 10)).isEqualTo(Errors.NONE);
    }
  }

  private long size(String topic) {
    return client().logDirs((short) 4).get("/data").topics().stream()
        .filter(one -> one.name().equals(topic))
        .findFirst()
        .get()
        .partitions()
        .get(0)
        .partitionSize();
  }

  private Directory folder() {
    return disk.root().directory("data");
  }

  @Test
  void theCleanersSettingsHoldAtOnceAndAfterARestart() throws Exception {
    assertThat(client().alterBrokers("log.cleaner.backoff.ms", "3600000")).isEqualTo(Errors.NONE);
    client().create("compacted", COMPACT);
    write("compacted", 50);
    long full = size("compacted");
    broker.advanceMs(20 * SOON_MS);
    assertThat(size("compacted")).as("it does not look again for an hour").isEqualTo(full);
    broker = broker.killedAndStarted();
    broker.advanceMs(20 * SOON_MS);
    assertThat(size("compacted")).as("nor after a restart").isEqualTo(full);

    assertThat(client().alterBrokers("log.cleaner.backoff.ms", "1000")).isEqualTo(Errors.NONE);
    broker.advanceMs(5_000);
    assertThat(size("compacted")).isLessThan(full / 5);
  }

  @Test
  void aCompactedTopicStaysSmallAndKnowsAfterARestartWhatIsDone() throws Exception {
    client().create("compacted", COMPACT);
    client().create("kept", "internal.segment.bytes", "2000");
    write("compacted", 50);
    write("kept", 50);
    broker.advanceMs(SOON_MS);
    long before = size("kept");
    assertThat(size("compacted")).isLessThan(before / 5);
    assertThat(client().latest("compacted")).isEqualTo(500);
    assertThat(client().earliest("compacted")).isZero();
    assertThat(client().fetchError("compacted")).isEqualTo(Errors.NONE);
    String offsets =
        new String(folder().readAll("cleaner-offset-checkpoint"), StandardCharsets.UTF_8);
    assertThat(offsets).matches("0\n1\ncompacted 0 4\\d\\d\n");

    broker = broker.killedAndStarted();
    long changes = disk.faults().changes();
    broker.advanceMs(SOON_MS);
    assertThat(new String(folder().readAll("cleaner-offset-checkpoint"), StandardCharsets.UTF_8))
        .isEqualTo(offsets);
    assertThat(disk.faults().changes()).isEqualTo(changes);
    write("compacted", 50);
    broker.advanceMs(SOON_MS);
    assertThat(size("compacted")).isLessThan(before / 5);
  }

  @Test
  void aLogThatCannotBeCompactedIsLeftOutAloneAndTriedAgain() throws Exception {
    client().create("bad", COMPACT);
    client().create("good", COMPACT);
    write("bad", 20);
    write("good", 20);
    long full = size("good");
    disk.rot("data/bad-0/00000000000000000000.log", 100);
    broker.advanceMs(SOON_MS);
    assertThat(size("good")).isLessThan(full / 2);
    assertThat(size("bad")).isEqualTo(full);
    assertThat(client().produce("bad", 1)).isEqualTo(Errors.NONE);
    assertThat(folder().directory("bad-0").list()).noneMatch(name -> name.endsWith(".cleaned"));

    disk.rot("data/bad-0/00000000000000000000.log", 100); // flips the bits back
    broker.advanceMs(120_000);
    assertThat(size("bad")).isLessThan(full / 2);
  }

  @Test
  void logsThatIdleAreNotLookedAt() {
    client().create("compacted", 50, COMPACT);
    for (int partition = 0; partition < 50; partition++) {
      for (int i = 0; i < 100; i++) {
        client().produce("compacted", partition, Batches.plain(clock.wallMs(), "v" + i % 10));
      }
    }
    broker.advanceMs(600_000);
    int open = disk.openFiles();
    long visits = broker.visits();
    broker.advanceMs(3_600_000);
    assertThat(broker.visits()).isEqualTo(visits);
    assertThat(disk.openFiles()).isEqualTo(open);
    long before = size("compacted");
    write("compacted", 50);
    broker.advanceMs(SOON_MS);
    assertThat(size("compacted")).isLessThan(2 * before);
  }

  @Test
  void whatWasTooYoungIsCompactedWhenItIsOldEnoughThoughNobodyUsesIt() {
    int open = disk.openFiles();
    client().create("compacted", with("min.compaction.lag.ms", "3600000"));
    write("compacted", 50);
    long full = size("compacted");
    broker.advanceMs(3_000_000);
    assertThat(size("compacted")).isEqualTo(full);
    assertThat(disk.openFiles()).as("while it waits").isEqualTo(open);
    broker.advanceMs(700_000);
    assertThat(size("compacted")).isLessThan(full / 2);
  }

  @Test
  void whatIsOverdueIsCompactedThoughThereIsLittleOfIt() {
    client()
        .create(
            "compacted",
            with("max.compaction.lag.ms", "3600000", "min.cleanable.dirty.ratio", "0.9"));
    for (int i = 0; i < 300; i++) { // different keys: all of it stays
      client().produce("compacted", 0, Batches.plain(clock.wallMs(), "key" + i));
    }
    broker.advanceMs(SOON_MS);
    write("compacted", 5);
    long some = size("compacted");
    broker.advanceMs(3_000_000);
    assertThat(size("compacted")).isEqualTo(some);
    broker.advanceMs(700_000);
    assertThat(size("compacted")).isLessThan(some);
  }

  private static String[] with(String... configs) {
    String[] all = Arrays.copyOf(COMPACT, COMPACT.length + configs.length);
    System.arraycopy(configs, 0, all, COMPACT.length, configs.length);
    return all;
  }

  @Test
  void ofATopicThatWasCreatedAgainNothingCountsAsCompacted() throws Exception {
    client().create("compacted", COMPACT);
    write("compacted", 50);
    broker.advanceMs(SOON_MS);
    long compacted = size("compacted");
    client().delete("compacted");
    client().create("compacted", COMPACT);
    write("compacted", 52);
    assertThat(size("compacted")).isGreaterThan(4 * compacted);

    broker = broker.killedAndStarted();
    write("compacted", 3);
    broker.advanceMs(SOON_MS);
    assertThat(size("compacted")).isLessThan(2 * compacted);
  }

  @Test
  void whatTheCleanerKnewIsKeptByTopicIdAndOnlyIfItIsWhole() throws Exception {
    Map<LogId, Long> offsets =
        Map.of(new LogId("a", 1, new Uuid(1, 2)), 5L, new LogId("a", 0, new Uuid(1, 2)), 70L);
    CleanerCheckpoint.write(folder(), offsets);
    assertThat(CleanerCheckpoint.read(folder())).isEqualTo(offsets);
    int bytes = (int) folder().size(CleanerCheckpoint.FILE);
    for (int at = 0; at < bytes; at++) {
      disk.rot("data/" + CleanerCheckpoint.FILE, at);
      assertThatThrownBy(() -> CleanerCheckpoint.read(folder())).isInstanceOf(CorruptLog.class);
      disk.rot("data/" + CleanerCheckpoint.FILE, at); // flips the bits back
    }
    folder().writeAtomically(CleanerCheckpoint.FILE, new byte[0]);
    assertThatThrownBy(() -> CleanerCheckpoint.read(folder())).isInstanceOf(CorruptLog.class);
    assertThat(folder().exists("cleaner-offset-checkpoint")).isTrue();
  }

  @Test
  void aCompactedTopicIsDeletedWithAllItsFiles() throws Exception {
    client().create("compacted", COMPACT);
    write("compacted", 30);
    client().delete("compacted");
    broker.advanceMs(SOON_MS);
    assertThat(folder().list()).noneMatch(name -> name.startsWith("compacted"));
  }
}
