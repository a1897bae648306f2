package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever is done to logs that idle, their files are closed again, and few are open at once. */
class ActiveLogsTest {
  private static final int LOGS = 20;
  private static final int MAX_OPEN = 4;
  private static final int FILES_OF_A_LOG = 9;
  private static final int RECORDS = 3;
  private static final long WEEK_MS = 7 * 86_400_000L;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  private final ActiveLogs active = new ActiveLogs(MAX_OPEN);
  private final List<PartitionLog> logs = new ArrayList<>();
  private final LogSettings settings =
      LogSettings.defaults().withSegmentBytes(100).withIndexIntervalBytes(0);

  private interface Work {
    void run(PartitionLog log) throws Exception;
  }

  /** Logs of three segments each, of which nothing is known but that they stopped in order. */
  @BeforeEach
  void open() throws Exception {
    for (int i = 0; i < LOGS; i++) {
      LogId id = new LogId("many", i, new Uuid(5, 6));
      try (PartitionLog before = open(id, LogOpening.unknown())) {
        for (int record = 0; record < RECORDS; record++) {
          before.append(Batches.plain(clock.wallMs(), "v"), 1, AppendOrigin.CLIENT);
        }
      }
      logs.add(open(id, new LogOpening(true, RECORDS, 0)));
    }
    logs.forEach(active::add);
    rest();
  }

  private PartitionLog open(LogId id, LogOpening opening) throws Exception {
    return PartitionLog.open(id, disk.root().directory(id.folderName()), settings, opening, clock);
  }

  /** What periodic work does, some rounds of it. */
  private void rest() {
    for (int round = 0; round < 3; round++) {
      for (PartitionLog log : logs) {
        boolean unused = log.takeChanged();
        List<String> deleted = log.takeFilesToDelete();
        assertThat(deleted).allMatch(name -> name.endsWith(FileNames.DELETED));
      }
      active.closeIdle();
      active.dismissResting();
    }
    assertThat(disk.openFiles()).as("files open when all rest").isZero();
    assertThat(active.openCount()).isZero();
  }

  private void doWithEach(Work work) throws Exception {
    for (PartitionLog log : logs) {
      work.run(log);
      assertThat(disk.openFiles()).isLessThanOrEqualTo(MAX_OPEN * FILES_OF_A_LOG);
      assertThat(active.openCount()).isLessThanOrEqualTo(MAX_OPEN);
    }
    rest();
  }

  @Test
  void filesThatRetentionOpenedAreClosed() throws Exception {
    clock.advanceMs(2 * WEEK_MS);
    doWithEach(log -> assertThat(log.deleteOldSegments(RECORDS)).isEqualTo(RECORDS));
  }

  @Test
  void filesThatASyncOpenedAreClosed() throws Exception {
    clock.advanceMs(2 * WEEK_MS);
    doWithEach(log -> assertThat(log.deleteOldSegments(RECORDS)).isEqualTo(RECORDS));
    doWithEach(PartitionLog::flushAndWait);
  }

  @Test
  void filesThatTheCleanerOpenedAreClosed() throws Exception {
    LogSettings compacted =
        settings.withCompact(true).withMinCompactionLagMs(1).withMaxCompactionLagMs(2);
    clock.advanceMs(1000);
    logs.forEach(log -> log.updateSettings(compacted));
    rest();
    doWithEach(log -> assertThat(log.dirtySection(0, RECORDS)).isNotNull());
  }

  @Test
  void filesThatTellWhenRetentionIsDueAreClosed() throws Exception {
    doWithEach(log -> assertThat(log.read(0, 1, true, RECORDS).isEmpty()).isFalse());
    doWithEach(log -> assertThat(log.use().nextDueMs(true)).isBetween(0L, Long.MAX_VALUE - 1));
  }

  @Test
  void aLogThatIsUsedAgainAndAgainCountsOnce() throws Exception {
    for (int round = 0; round < 10; round++) {
      logs.get(0).updateSettings(settings);
      active.closeIdle();
      assertThat(active.openCount()).isLessThanOrEqualTo(1);
    }
  }
}
