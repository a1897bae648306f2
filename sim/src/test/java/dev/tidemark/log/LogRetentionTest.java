package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.FileSlice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LogRetentionTest {
  private final LogFixture fixture = new LogFixture();

  private PartitionLog tenSegments() throws Exception {
    fixture.settings = fixture.settings.withRetentionMs(1000).withSegmentBytes(100);
    PartitionLog log = fixture.open();
    for (int i = 0; i < 10; i++) {
      fixture.append(log, 1, "v" + i);
    }
    assertThat(log.segmentCount()).isEqualTo(10);
    return log;
  }

  @Test
  void onlySegmentsWhollyBelowTheHighWatermarkAreDeleted() throws Exception {
    // KAFKA-5634
    PartitionLog log = tenSegments();
    fixture.clock.advanceMs(5000);
    assertThat(log.deleteOldSegments(4)).isEqualTo(4);
    assertThat(log.logStartOffset()).isEqualTo(4);
    assertThat(log.deleteOldSegments(4)).isZero();
  }

  @Test
  void anEmptyLogAfterRetentionEndsWhereItStartsAndTheNextRecordGetsThatOffset() throws Exception {
    PartitionLog log = tenSegments();
    fixture.clock.advanceMs(5000);
    assertThat(log.deleteOldSegments(10)).isEqualTo(10);
    assertThat(log.logStartOffset()).isEqualTo(10);
    assertThat(log.logEndOffset()).isEqualTo(10);
    assertThat(log.deleteOldSegments(10)).isZero();
    PartitionLog again = fixture.openAfterKill(0);
    assertThat(again.logEndOffset()).isEqualTo(10);
    assertThat(fixture.append(again, 1, "x").baseOffset()).isEqualTo(10);
  }

  @Test
  void retentionBySizeKeepsAtLeastThatMuch() throws Exception {
    PartitionLog log = tenSegments();
    long one = log.sizeInBytes() / 10;
    log.updateSettings(fixture.settings.withRetentionMs(-1).withRetentionBytes(3 * one + 5));
    assertThat(log.deleteOldSegments(10)).isEqualTo(6);
    assertThat(log.sizeInBytes()).isEqualTo(4 * one);
  }

  @Test
  void deletedRecordsGoAlsoWhereCleanupIsCompactOnly() throws Exception {
    PartitionLog log = tenSegments();
    log.updateSettings(fixture.settings.withDelete(false).withCompact(true));
    fixture.clock.advanceMs(5000);
    assertThat(log.deleteOldSegments(10)).isZero();
    log.advanceLogStartOffset(3, 10);
    assertThat(log.deleteOldSegments(10)).isEqualTo(3);
  }

  @Test
  void recordsCanBeDeletedBeyondTheBaseOfTheActiveSegment() throws Exception {
    // KAFKA-9133
    fixture.settings = fixture.settings.withRetentionMs(-1);
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b", "c");
    log.advanceLogStartOffset(3, 3);
    assertThat(log.deleteOldSegments(3)).isEqualTo(1);
    assertThat(log.logStartOffset()).isEqualTo(3);
    assertThat(fixture.append(log, 1, "d").baseOffset()).isEqualTo(3);
  }

  @Test
  void recordsAboveTheHighWatermarkCannotBeDeleted() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b", "c");
    assertThatThrownBy(() -> log.advanceLogStartOffset(3, 2)).isInstanceOf(OffsetOutOfRange.class);
    log.advanceLogStartOffset(2, 2);
    log.advanceLogStartOffset(1, 2);
    assertThat(log.logStartOffset()).isEqualTo(2);
    assertThatThrownBy(() -> log.read(1, 100, true, 3)).isInstanceOf(OffsetOutOfRange.class);
  }

  @Test
  void filesAreRenamedFirstAndOnlyTheListedOnesAreDeleted() throws Exception {
    // KAFKA-13127, KAFKA-15605
    PartitionLog log = tenSegments();
    fixture.clock.advanceMs(5000);
    log.deleteOldSegments(2);
    assertThat(log.takeFilesToDelete())
        .hasSize(6)
        .allMatch(name -> name.endsWith(FileNames.DELETED))
        .allMatch(
            name -> {
              try {
                return fixture.folder().exists(name);
              } catch (java.io.IOException e) {
                return false;
              }
            });
    assertThat(log.takeFilesToDelete()).isEmpty();
    assertThat(LogFixture.bases(log)).hasSize(8);
  }

  @Test
  void whatAReaderHoldsStaysReadableWhenItsSegmentIsDeleted() throws Exception {
    PartitionLog log = tenSegments();
    FileSlice slice = Objects.requireNonNull(log.read(0, 1000, true, 10).slice());
    fixture.clock.advanceMs(5000);
    log.deleteOldSegments(10);
    for (String name : log.takeFilesToDelete()) {
      fixture.folder().delete(name);
    }
    ByteBuffer bytes = ByteBuffer.allocate(slice.length());
    assertThat(slice.read(bytes, 0)).isEqualTo(slice.length());
    assertThat(StoredBatch.at(bytes.flip(), 0).baseOffset()).isZero();
    slice.release();
  }

  @Test
  void aClosedLogDeletesNothing() throws Exception {
    // KAFKA-13315
    PartitionLog log = tenSegments();
    fixture.clock.advanceMs(5000);
    log.close(true);
    long changes = fixture.disk.faults().changes();
    assertThat(log.deleteOldSegments(10)).isZero();
    assertThat(fixture.disk.faults().changes()).isEqualTo(changes);
  }

  @Test
  void jitterSpreadsTheRollsByTimeAndNoneComesLaterThanWithout() throws Exception {
    fixture.settings = fixture.settings.withSegmentMs(1000).withSegmentJitterMs(1000);
    PartitionLog log = fixture.open();
    List<Long> ages = new ArrayList<>();
    long bornMs = fixture.clock.wallMs();
    fixture.append(log, 1, "a");
    while (ages.size() < 50) {
      fixture.clock.advanceMs(1);
      int before = log.segmentCount();
      fixture.append(log, 1, "a");
      if (log.segmentCount() > before) {
        ages.add(fixture.clock.wallMs() - bornMs);
        bornMs = fixture.clock.wallMs();
      }
    }
    assertThat(ages).allMatch(age -> age <= 1001);
    for (long quarter = 0; quarter < 1000; quarter += 250) {
      long from = quarter;
      assertThat(ages).anyMatch(age -> age > from && age <= from + 250);
    }
    log.updateSettings(fixture.settings.withSegmentJitterMs(0));
    int count = log.segmentCount();
    fixture.clock.advanceMs(1000);
    fixture.append(log, 1, "b");
    assertThat(log.segmentCount()).isEqualTo(count);
  }

  @Test
  void aSegmentRollsByTimeBySizeAndBeforeOffsetsNoLongerFit() throws Exception {
    // KAFKA-6264
    fixture.settings = fixture.settings.withSegmentMs(1000);
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.clock.advanceMs(1000);
    fixture.append(log, 1, "b");
    assertThat(log.segmentCount()).isEqualTo(1);
    fixture.clock.advanceMs(1);
    fixture.append(log, 1, "c");
    assertThat(log.segmentCount()).isEqualTo(2);
    log.appendReplicated(fixture.replicated(2L + Integer.MAX_VALUE, 1, "d"));
    assertThat(log.segmentCount()).isEqualTo(2);
    log.appendReplicated(fixture.replicated(3L + Integer.MAX_VALUE, 1, "e"));
    assertThat(log.segmentCount()).isEqualTo(3);
    assertThat(LogFixture.bases(log)).hasSize(5);
    assertThat(LogFixture.bases(fixture.openAfterKill(0))).hasSize(5);
  }
}
