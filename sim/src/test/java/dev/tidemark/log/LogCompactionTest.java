package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogCompactionTest {
  private static final CleanerBounds BOUNDS = new CleanerBounds(1 << 16, 0.9, 1 << 12);
  private static final long DELETE_RETENTION_MS = 60_000;

  private final LogFixture fixture = new LogFixture();
  private PartitionLog log;
  private long firstDirty = -1;

  @BeforeEach
  void open() throws IOException {
    fixture.settings =
        fixture.settings.withCompact(true).withDeleteRetentionMs(DELETE_RETENTION_MS);
    log = fixture.open();
  }

  private void append(@Nullable String... keysAndValues) throws Exception {
    log.append(
        Batches.keyed(-1, 0, 0, false, fixture.clock.wallMs(), keysAndValues),
        1,
        AppendOrigin.CLIENT);
  }

  private void inTransaction(long producerId, int sequence, String... keysAndValues)
      throws Exception {
    log.append(
        Batches.keyed(producerId, 0, sequence, true, fixture.clock.wallMs(), keysAndValues),
        1,
        AppendOrigin.COORDINATOR);
  }

  private void end(long producerId, boolean commit) throws Exception {
    log.append(
        Batches.marker(producerId, 0, commit, 0, fixture.clock.wallMs()),
        1,
        AppendOrigin.COORDINATOR);
  }

  /** Compacts all up to here; false when there is nothing to do. */
  private boolean compact() throws Exception {
    return compact(log.logEndOffset());
  }

  private boolean compact(long highWatermark) throws Exception {
    return compact(highWatermark, BOUNDS);
  }

  private boolean compact(long highWatermark, CleanerBounds bounds) throws Exception {
    log.roll();
    log.flushAndWait();
    DirtySection section = log.dirtySection(firstDirty, highWatermark);
    if (section == null) {
      return false;
    }
    Cleaner cleaner = log.clean(section, bounds);
    for (Cleaner.Progress now = cleaner.step(1 << 20);
        now != Cleaner.Progress.DONE;
        now = cleaner.step(1 << 20)) {
      if (now == Cleaner.Progress.SEGMENT_READY) {
        assertThat(log.adopt(cleaner.takeReady())).isTrue();
      }
    }
    firstDirty = cleaner.cleanEndOffset();
    return true;
  }

  /** Compacts with room for two keys. */
  private void compactTightly() throws Exception {
    assertThat(compact(log.logEndOffset(), new CleanerBounds(24 * 3, 0.9, 1 << 12))).isTrue();
  }

  /** "offset key=value" of all records that are there, markers as "offset marker". */
  private List<String> records() throws Exception {
    List<String> found = new ArrayList<>();
    for (StoredBatch stored : StoredBatch.read(log, log.logStartOffset(), 1 << 20)) {
      ByteBuffer bytes = ByteBuffer.allocate(stored.bytes().remaining());
      bytes.put(stored.bytes().duplicate()).flip();
      for (Record record : MemoryRecords.readableRecords(bytes).records()) {
        found.add(
            record.offset()
                + (stored.control()
                    ? " marker"
                    : " " + text(record.key()) + "=" + text(record.value())));
      }
    }
    return found;
  }

  private static @Nullable String text(@Nullable ByteBuffer bytes) {
    return bytes == null ? null : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  @Test
  void ofEachKeyTheLatestRecordStaysAtItsOffset() throws Exception {
    append("a", "1", "b", "1");
    append("a", "2");
    append("c", "1", "a", "3");
    assertThat(compact()).isTrue();
    assertThat(records()).containsExactly("1 b=1", "3 c=1", "4 a=3");
    append("b", "2");
    assertThat(compact()).isTrue();
    assertThat(records()).containsExactly("3 c=1", "4 a=3", "5 b=2");
    assertThat(log.logEndOffset()).isEqualTo(6);
    assertThat(compact()).isFalse();
  }

  @Test
  void aTombstoneStaysForItsTimeAfterTheFirstCompactionThatSawItAndThenGoes() throws Exception {
    append("a", "1");
    fixture.clock.advanceMs(10 * DELETE_RETENTION_MS);
    append("a", null, "x", "1");
    compact();
    assertThat(records()).containsExactly("1 a=null", "2 x=1");
    fixture.clock.advanceMs(DELETE_RETENTION_MS - 1);
    append("y", "1");
    compact();
    assertThat(records()).contains("1 a=null");
    fixture.clock.advanceMs(1);
    append("z", "1");
    compact();
    assertThat(records()).containsExactly("2 x=1", "3 y=1", "4 z=1");
  }

  @Test
  void nothingAboveAnOpenTransactionIsTouchedAndItsRecordsReplaceNothing() throws Exception {
    append("a", "1");
    inTransaction(7, 0, "a", "2");
    append("b", "1", "b", "2");
    assertThat(compact()).isFalse(); // one segment, which the transaction is in
    end(7, true);
    compact();
    assertThat(records()).containsExactly("1 a=2", "3 b=2", "4 marker");
  }

  @Test
  void withoutATransactionNothingAtOrAboveTheHighWatermarkIsTouchedAndReplacesNothing()
      throws Exception {
    // KAFKA-13194
    append("a", "1", "b", "1");
    log.roll();
    append("a", "2");
    log.roll();
    append("b", "2");
    log.roll();
    log.flushAndWait();
    assertThat(log.dirtySection(-1, 0)).isNull();
    assertThat(log.dirtySection(-1, 1)).isNull(); // within a segment
    assertThat(log.dirtySection(-1, 2).endOffsetExclusive()).isEqualTo(2);
    assertThat(log.dirtySection(-1, 3).endOffsetExclusive()).isEqualTo(3);
    compact(3);
    assertThat(records()).containsExactly("1 b=1", "2 a=2", "3 b=2");
    compact(4);
    assertThat(records()).containsExactly("2 a=2", "3 b=2");
  }

  @Test
  void anAbortedRecordNeverReplacesACommittedOneAndGoesWithItsMarkerInTheEnd() throws Exception {
    append("a", "1");
    inTransaction(7, 0, "a", "aborted");
    end(7, false);
    append("b", "1");
    compact();
    assertThat(records()).containsExactly("0 a=1", "2 marker", "3 b=1");
    assertThat(log.abortedTransactions(0, 4)).hasSize(1);
    inTransaction(7, 1, "c", "1");
    end(7, true);
    append("d", "1");
    compact();
    assertThat(records()).contains("0 a=1", "2 marker");
    append("e", "1");
    compact(); // only now no batch of the transaction is left, and the marker's time begins
    fixture.clock.advanceMs(DELETE_RETENTION_MS);
    append("f", "1");
    compact();
    assertThat(records()).contains("0 a=1").doesNotContain("2 marker");
    assertThat(log.abortedTransactions(0, log.logEndOffset())).isEmpty();
    assertThat(log.lastStableOffset(log.logEndOffset())).isEqualTo(log.logEndOffset());
  }

  @Test
  void theLastBatchOfAProducerStaysForItsSequence() throws Exception {
    log.append(
        Batches.keyed(5, 0, 0, false, fixture.clock.wallMs(), "a", "1", "b", "1"),
        1,
        AppendOrigin.CLIENT);
    append("a", "2", "b", "2");
    append("z", "1");
    compact();
    assertThat(records()).containsExactly("2 a=2", "3 b=2", "4 z=1");
    log.close(false);
    for (String name : fixture.folder().list()) {
      if (name.endsWith(".snapshot")) {
        fixture.folder().delete(name);
      }
    }
    log = fixture.openAfterKill(0);
    assertThat(log.producers().entry(5).lastSequence()).isEqualTo(1);
    log.append(
        Batches.keyed(5, 0, 2, false, fixture.clock.wallMs(), "a", "3"), 1, AppendOrigin.CLIENT);
  }

  @Test
  void aLogStartInTheActiveSegmentOrBeyondTheDirtySectionHoldsNothingUp() throws Exception {
    append("a", "1");
    log.roll();
    append("a", "2");
    append("a", "3");
    log.advanceLogStartOffset(2, 3);
    assertThat(log.dirtySection(0, 3)).isNull();
    append("a", "4", "b", "1");
    assertThat(compact()).isTrue();
    assertThat(records()).contains("3 a=4", "4 b=1").doesNotContain("2 a=3");
  }

  @Test
  void segmentsWhoseOffsetsLieFarApartAreNotPutTogether() throws Exception {
    log.appendReplicated(fixture.replicated(0, 1, "a"));
    log.roll();
    long far = 3L << 31;
    log.appendReplicated(fixture.replicated(far, 1, "b"));
    compact();
    assertThat(LogFixture.bases(log)).containsExactly(0L, far);
    assertThat(log.segmentCount()).isEqualTo(3);
  }

  @Test
  void smallSegmentsAreGatheredUpToTheSizeOfOne() throws Exception {
    fixture.settings = fixture.settings.withSegmentBytes(600);
    log.updateSettings(fixture.settings);
    for (int i = 0; i < 60; i++) {
      append("k" + i % 3, "v" + i);
    }
    assertThat(log.segmentCount()).isGreaterThan(6);
    compact();
    assertThat(records()).hasSize(3).contains("59 k2=v59");
    append("q", "1");
    compact();
    assertThat(log.segmentCount()).isLessThan(5);
  }

  @Test
  void keysThatDoNotFitIntoMemoryAreCompactedInSeveralPasses() throws Exception {
    for (int i = 0; i < 200; i++) {
      append("k" + i % 50, "v" + i);
    }
    log.roll();
    log.flushAndWait();
    CleanerBounds tight = new CleanerBounds(24 * 20, 0.9, 256);
    int passes = 0;
    DirtySection section = log.dirtySection(firstDirty, log.logEndOffset());
    while (section != null && firstDirty < 200) {
      Cleaner cleaner = log.clean(section, tight);
      for (Cleaner.Progress now = cleaner.step(100);
          now != Cleaner.Progress.DONE;
          now = cleaner.step(100)) {
        if (now == Cleaner.Progress.SEGMENT_READY) {
          assertThat(log.adopt(cleaner.takeReady())).isTrue();
        }
      }
      assertThat(cleaner.cleanEndOffset()).isGreaterThan(firstDirty);
      firstDirty = cleaner.cleanEndOffset();
      passes++;
      section = log.dirtySection(firstDirty, log.logEndOffset());
    }
    assertThat(passes).isGreaterThan(5);
    assertThat(records()).hasSize(50).contains("199 k49=v199", "150 k0=v150");
  }

  @Test
  void aTombstoneThatNoPassHasReachedYetStaysAndItsTimeHasNotBegun() throws Exception {
    append("a", "1");
    append("b", "1");
    append("c", "1");
    append("d", "1");
    append("e", "1");
    append("a", null);
    compactTightly();
    assertThat(firstDirty).isEqualTo(2);
    fixture.clock.advanceMs(2 * DELETE_RETENTION_MS);
    compactTightly();
    assertThat(firstDirty).isEqualTo(4);
    assertThat(records()).contains("0 a=1", "5 a=null");
    compactTightly();
    assertThat(firstDirty).isEqualTo(6);
    assertThat(records()).containsExactly("1 b=1", "2 c=1", "3 d=1", "4 e=1", "5 a=null");
    fixture.clock.advanceMs(DELETE_RETENTION_MS);
    append("f", "1");
    compactTightly();
    assertThat(records()).containsExactly("1 b=1", "2 c=1", "3 d=1", "4 e=1", "6 f=1");
  }

  @Test
  void abortedRecordsStayHiddenWhereNoPassHasReachedTheirMarkersYet() throws Exception {
    inTransaction(7, 0, "t", "1"); // 0
    inTransaction(8, 0, "u", "1"); // 1
    append("b", "1", "c", "1"); // 2, 3
    append("d", "1"); // 4
    end(8, false); // 5
    inTransaction(7, 1, "v", "1"); // 6
    end(7, false); // 7
    List<AbortedTxn> before = log.abortedTransactions(0, log.logEndOffset());
    assertThat(before).extracting(AbortedTxn::lastOffset).containsExactly(7L, 5L);
    compactTightly();
    assertThat(firstDirty).isEqualTo(4);
    assertThat(log.abortedTransactions(0, log.logEndOffset())).isEqualTo(before);
    compactTightly();
    assertThat(records()).containsExactly("2 b=1", "3 c=1", "4 d=1", "5 marker", "7 marker");
  }

  @Test
  void whatIsAppendedAfterACutIsNotCompactedYet() throws Exception {
    append("a", "1", "b", "1");
    append("c", "1");
    append("e", "1");
    compact();
    log.noteCompacted(firstDirty);
    assertThat(log.cleanEndOffset()).isEqualTo(4);
    log.truncateTo(2);
    assertThat(log.cleanEndOffset()).isEqualTo(2);
    append("d", "1", "d", "2", "a", null);
    log.noteCompacted(log.cleanEndOffset());
    assertThat(log.cleanEndOffset()).isEqualTo(2);
    firstDirty = log.cleanEndOffset();
    compact();
    assertThat(records()).containsExactly("1 b=1", "3 d=2", "4 a=null");
    log.noteCompacted(firstDirty);
    assertThat(log.cleanEndOffset()).isEqualTo(5);
  }

  @Test
  void aShorterLogThanTheOneThatWasCompactedIsCompactedAsFarAsItReaches() throws Exception {
    append("a", "1");
    log.roll();
    log.flushAndWait();
    log.close();
    log = fixture.open();
    append("a", "2");
    log.noteCompacted(2);
    assertThat(log.cleanEndOffset()).isEqualTo(1);
  }

  @Test
  void lagsAndRatioAreHonoured() throws Exception {
    fixture.settings = fixture.settings.withMinCompactionLagMs(1000).withMaxCompactionLagMs(5000);
    log.updateSettings(fixture.settings);
    append("a", "1");
    log.roll();
    log.flushAndWait();
    assertThat(log.dirtySection(-1, 1)).isNull();
    fixture.clock.advanceMs(1000);
    assertThat(log.dirtySection(-1, 1)).isNotNull();
    assertThat(log.dirtySection(-1, 1).overdue()).isFalse();
    assertThat(log.dirtySection(-1, 1).cleanableRatio()).isEqualTo(1.0);
    fixture.clock.advanceMs(4001);
    assertThat(log.dirtySection(-1, 1).overdue()).isTrue();
  }

  @Test
  void whatWasRemovedMeanwhileIsNotBroughtBack() throws Exception {
    append("a", "1");
    log.roll();
    append("b", "1");
    log.roll();
    log.flushAndWait();
    DirtySection section = log.dirtySection(-1, 2);
    Cleaner cleaner = log.clean(section, BOUNDS);
    log.advanceLogStartOffset(1, 2);
    Cleaner.Progress now = cleaner.step(1 << 20);
    while (now == Cleaner.Progress.MORE) {
      now = cleaner.step(1 << 20);
    }
    assertThat(log.deleteOldSegments(2)).isEqualTo(1);
    assertThat(log.adopt(cleaner.takeReady())).isFalse();
    cleaner.abandon();
    assertThat(fixture.folder().list()).noneMatch(name -> name.endsWith(".cleaned"));
    assertThat(records()).containsExactly("1 b=1");
  }

  @Test
  void aDamagedBatchStopsTheCompactionAndChangesNothing() throws Exception {
    append("a", "1");
    append("a", "2");
    log.roll();
    log.flushAndWait();
    for (int position = 0; position < 140; position++) {
      boolean leaderEpoch = position % 70 >= 12 && position % 70 < 16; // nothing covers it
      fixture.disk.rot(LogFixture.ID.folderName() + "/00000000000000000000.log", position);
      Cleaner cleaner = log.clean(log.dirtySection(-1, 2), BOUNDS);
      if (!leaderEpoch) {
        assertThatThrownBy(() -> cleaner.step(1 << 20))
            .as("byte %s", position)
            .isInstanceOf(CorruptLog.class)
            .hasMessageContaining("is damaged at position " + position / 70 * 70);
      }
      cleaner.abandon();
      fixture.disk.rot(LogFixture.ID.folderName() + "/00000000000000000000.log", position);
    }
    assertThat(log.failure()).isNull();
    append("a", "3");
  }

  /** Whoever lost the checkpoints reads all segments, and those do not meet any more. */
  @Test
  void aCompactedLogIsWholeAlsoWhenNobodyKnowsWhatWasSynced() throws Exception {
    fixture.settings = fixture.settings.withSegmentBytes(600);
    log.updateSettings(fixture.settings);
    String large = "x".repeat(400);
    append("a", large);
    append("b", "1");
    append("c", large);
    append("b", "2");
    append("d", large);
    append("b", "3");
    compact();
    List<String> before = records();
    assertThat(before).hasSize(4);
    log.close(false);
    log = fixture.openAfterKill(0);
    assertThat(records()).isEqualTo(before);
  }
}
