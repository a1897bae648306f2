package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogRecoveryTest {
  private static final String FIRST = FileNames.of(0, FileNames.LOG);

  private final LogFixture fixture = new LogFixture();
  private PartitionLog log;

  LogRecoveryTest() throws IOException {
    fixture.settings = fixture.settings.withSegmentBytes(400).withIndexIntervalBytes(50);
    log = fixture.open();
  }

  @BeforeEach
  void fill() throws Exception {
    for (int i = 0; i < 20; i++) {
      fixture.append(log, 1, "value " + i);
    }
  }

  private String last() throws IOException {
    List<String> logs =
        fixture.folder().list().stream().filter(name -> name.endsWith(FileNames.LOG)).toList();
    return logs.get(logs.size() - 1);
  }

  @Test
  void halfABatchAtTheEndIsCutThoughTheIndexesAreIntact() throws Exception {
    String active = last();
    long size = fixture.folder().size(active);
    for (int lost = 1; lost < 60; lost += 7) {
      fixture.cut(active, size - lost);
      PartitionLog again = fixture.openAfterKill(0);
      assertThat(again.logEndOffset()).isEqualTo(19);
      assertThat(LogFixture.bases(again)).hasSize(19);
    }
  }

  @Test
  void halfABatchIsFoundAlsoBehindACleanMarker() throws Exception {
    log.close(true);
    String active = last();
    fixture.cut(active, fixture.folder().size(active) - 5);
    PartitionLog again = fixture.open(new LogOpening(true, 0, 0));
    assertThat(again.logEndOffset()).isEqualTo(19);
    assertThat(fixture.append(again, 1, "x").baseOffset()).isEqualTo(19);
  }

  @Test
  void damageOfWhatWasSyncedIsReportedByNameAndNothingIsCut() throws Exception {
    String active = last();
    long size = fixture.folder().size(active);
    log.flushAndWait();
    long recoveryPoint = log.recoveryPoint();
    fixture.disk.rot("orders-0/" + active, 70);
    assertThatThrownBy(() -> fixture.openAfterKill(recoveryPoint))
        .isInstanceOf(CorruptLog.class)
        .hasMessageContaining("orders-0/" + active)
        .hasMessageContaining("position 0")
        .hasMessageContaining("stays offline");
    assertThat(fixture.folder().size(active)).isEqualTo(size);
  }

  @Test
  void whatLiesBehindAnUnsyncedFaultIsTakenOut() throws Exception {
    fixture.disk.rot("orders-0/" + FIRST, 100);
    PartitionLog again = fixture.openAfterKill(0);
    assertThat(again.segmentCount()).isEqualTo(1);
    assertThat(again.logEndOffset()).isLessThan(4);
    assertThat(again.takeFilesToDelete()).isNotEmpty().allMatch(n -> n.endsWith(".deleted"));
    assertThat(fixture.append(again, 2, "x").baseOffset()).isEqualTo(again.logEndOffset() - 1);
  }

  @Test
  void indexesThatAreLostAreRebuilt() throws Exception {
    PartitionLog before = fixture.openAfterCleanStop(log);
    byte[] offsets = fixture.folder().readAll(FileNames.of(0, FileNames.OFFSET_INDEX));
    byte[] times = fixture.folder().readAll(FileNames.of(0, FileNames.TIME_INDEX));
    assertThat(offsets.length).isPositive();
    before.close(true);
    fixture.folder().delete(FileNames.of(0, FileNames.OFFSET_INDEX));
    fixture.cut(FileNames.of(0, FileNames.TIME_INDEX), 5);
    PartitionLog again = fixture.open(new LogOpening(true, 20, 0));
    assertThat(fixture.folder().readAll(FileNames.of(0, FileNames.OFFSET_INDEX)))
        .isEqualTo(offsets);
    assertThat(fixture.folder().readAll(FileNames.of(0, FileNames.TIME_INDEX))).isEqualTo(times);
    assertThat(again.logEndOffset()).isEqualTo(20);
  }

  @Test
  void indexesThatWereNeverSyncedAreNotTakenOnTrust() throws Exception {
    for (int seed = 0; seed < 200; seed++) {
      LogFixture own = new LogFixture();
      own.settings = own.settings.withSegmentBytes(100_000).withIndexIntervalBytes(0);
      PartitionLog first = own.open();
      for (int i = 0; i < 300; i++) {
        own.append(first, 1, "value " + i);
      }
      first.roll();
      first.flushAndWait();
      first.truncateTo(100);
      for (int i = 100; i < 300; i++) {
        own.append(first, 2, "another value " + i);
      }
      first.flushAndWait();
      long recoveryPoint = first.recoveryPoint();
      first.roll();
      own.append(first, 1, "next segment");
      PartitionLog second = own.openAfterKill(recoveryPoint);
      own.append(second, 1, "more");
      own.disk.powerLoss(seed);
      PartitionLog third = own.open(new LogOpening(false, recoveryPoint, 0));
      assertThat(third.logEndOffset()).isGreaterThanOrEqualTo(300);
      for (long offset = 0; offset < 300; offset += 7) {
        assertThat(third.read(offset, 1, true, 300).nextOffset()).isEqualTo(offset + 1);
      }
    }
  }

  @Test
  void whereEachAppendIsSyncedNoSegmentIsCutThatHasAFollower() throws Exception {
    log.close(false);
    fixture.disk.processKill();
    int lastByte = (int) fixture.folder().size(FIRST) - 1;
    fixture.disk.rot("orders-0/" + FIRST, lastByte);
    assertThatThrownBy(() -> fixture.open(LogOpening.ofSyncedAppends()))
        .isInstanceOf(CorruptLog.class)
        .hasMessageContaining(FIRST)
        .hasMessageContaining("follows");
    assertThat(fixture.folder().size(FIRST)).isEqualTo(lastByte + 1);
  }

  @Test
  void leftoversGoAndForeignFilesStay() throws Exception {
    log.close(true);
    Directory folder = fixture.folder();
    fixture.overwrite(FileNames.of(0, ".log.deleted"), 0, (byte) 1);
    fixture.overwrite(FileNames.of(77, ".log.cleaned"), 0, (byte) 1);
    fixture.overwrite(FileNames.of(77, ".index"), 0, (byte) 1);
    fixture.overwrite("leader-epoch-checkpoint.tmp", 0, (byte) 1);
    fixture.overwrite("notes.txt", 0, (byte) 1);
    PartitionLog again = fixture.open(new LogOpening(true, 20, 0));
    assertThat(again.logEndOffset()).isEqualTo(20);
    assertThat(folder.list())
        .contains("notes.txt")
        .noneMatch(name -> name.contains("77") || name.endsWith("deleted"))
        .noneMatch(name -> name.endsWith(".tmp"));
  }

  @Test
  void anInterruptedReplacementOfSegmentsIsCompleted() throws Exception {
    log.close(true);
    Directory folder = fixture.folder();
    byte[] first = folder.readAll(FIRST);
    fixture.overwrite(FIRST + ".swap", 0, first);
    PartitionLog again = fixture.open(new LogOpening(true, 20, 0));
    assertThat(LogFixture.bases(again)).hasSize(20);
    assertThat(folder.list()).noneMatch(name -> name.endsWith(".swap"));
  }

  @Test
  void aDamagedSnapshotOfProducersIsPassedOver() throws Exception {
    log.append(Batches.of(4, 0, 0, fixture.clock.wallMs(), "p"), 1, AppendOrigin.CLIENT);
    log.close(true);
    String snapshot = FileNames.of(21, FileNames.SNAPSHOT);
    fixture.overwrite(snapshot, 12, (byte) 99);
    PartitionLog again = fixture.open(new LogOpening(true, 21, 0));
    assertThat(again.producers().entries()).hasSize(1);
    assertThat(fixture.folder().exists(snapshot)).isFalse();
  }

  @Test
  void aFolderOfAnotherTopicIdIsRefusedUntouched() throws Exception {
    log.close(true);
    List<String> before = fixture.folder().list();
    LogId other = new LogId("orders", 0, new Uuid(7, 7));
    assertThatThrownBy(
            () ->
                PartitionLog.open(
                    other, fixture.folder(), fixture.settings, LogOpening.unknown(), fixture.clock))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("belongs to the topic id");
    assertThat(fixture.folder().list()).isEqualTo(before);
  }

  @Test
  void openingAfterACleanStopChangesNothingOnDisk() throws Exception {
    log.close(true);
    long changes = fixture.disk.faults().changes();
    fixture.open(new LogOpening(true, 20, 0)).close(true);
    assertThat(fixture.disk.faults().changes()).isEqualTo(changes);
  }

  @Test
  void aLogThatEndsBelowItsStartBeginsAnewThere() throws Exception {
    log.close(false);
    fixture.disk.processKill();
    PartitionLog again = fixture.open(new LogOpening(false, 0, 50));
    assertThat(again.logStartOffset()).isEqualTo(50);
    assertThat(again.logEndOffset()).isEqualTo(50);
    assertThat(fixture.append(again, 1, "x").baseOffset()).isEqualTo(50);
  }
}
