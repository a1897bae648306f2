package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads, look-ups, retention and deletions at the edges of a log. */
class LogBoundaryTest {
  private static final long FAR = 3L + Integer.MAX_VALUE;

  private final LogFixture fixture = new LogFixture();

  private static List<Long> basesFrom(PartitionLog log, long offset) throws Exception {
    return StoredBatch.read(log, offset, 1 << 20).stream().map(StoredBatch::baseOffset).toList();
  }

  private static boolean isEmptyAt(PartitionLog log, long offset) throws Exception {
    return log.read(offset, 1 << 20, true, log.logEndOffset()).isEmpty();
  }

  private static void outOfRange(PartitionLog log, long offset) {
    assertThatThrownBy(() -> log.read(offset, 1 << 20, true, log.logEndOffset()))
        .isInstanceOf(OffsetOutOfRange.class);
  }

  @Test
  void anEmptyLogIsReadAtItsStartAndHasNothingToFindOrDelete() throws Exception {
    PartitionLog log = fixture.open();
    for (int run = 0; run < 2; run++) {
      assertThat(isEmptyAt(log, 0)).isTrue();
      outOfRange(log, 1);
      outOfRange(log, -1);
      assertThat(log.offsetForTimestamp(0, 0)).isNull();
      assertThat(log.maxTimestamp(0)).isNull();
      log.advanceLogStartOffset(0, 0);
      PartitionLog empty = log;
      assertThatThrownBy(() -> empty.advanceLogStartOffset(1, 0))
          .isInstanceOf(OffsetOutOfRange.class);
      assertThat(log.deleteOldSegments(0)).isZero();
      log.roll();
      assertThat(log.logEndOffset()).isZero();
      log = fixture.openAfterCleanStop(log);
    }
    assertThat(fixture.append(log, 1, "a").baseOffset()).isZero();
  }

  @Test
  void aLogOfOneRecordEndsBehindItAndCanLoseIt() throws Exception {
    PartitionLog log = fixture.open();
    long timeMs = fixture.clock.wallMs();
    fixture.append(log, 1, "a");
    assertThat(basesFrom(log, 0)).containsExactly(0L);
    assertThat(isEmptyAt(log, 1)).isTrue();
    outOfRange(log, 2);
    assertThat(log.offsetForTimestamp(timeMs, 1)).isEqualTo(new TimestampedOffset(timeMs, 0, 1));
    assertThat(log.offsetForTimestamp(timeMs + 1, 1)).isNull();
    log.advanceLogStartOffset(1, 1);
    outOfRange(log, 0);
    assertThat(isEmptyAt(log, 1)).isTrue();
    assertThat(log.offsetForTimestamp(timeMs, 1)).isNull();
    assertThat(log.maxTimestamp(1)).isNull();
    assertThat(fixture.append(log, 1, "b").baseOffset()).isEqualTo(1);
    assertThat(basesFrom(log, 1)).containsExactly(1L);
  }

  @Test
  void deletionInsideABatchLeavesTheWholeBatchToWhoReadsFromTheStart() throws Exception {
    PartitionLog log = fixture.open();
    long timeMs = fixture.clock.wallMs();
    fixture.append(log, 1, "a", "b", "c");
    fixture.append(log, 1, "d");
    log.advanceLogStartOffset(1, 4);
    for (int run = 0; run < 2; run++) {
      outOfRange(log, 0);
      assertThat(basesFrom(log, 1)).containsExactly(0L, 3L);
      assertThat(log.offsetForTimestamp(timeMs, 4))
          .as("a record that was deleted is not found by its time")
          .isEqualTo(new TimestampedOffset(timeMs, 1, 1));
      log = fixture.openAfterCleanStop(log);
    }
  }

  @Test
  void whereOffsetsAreMissingTheNextBatchIsRead() throws Exception {
    fixture.settings = fixture.settings.withIndexIntervalBytes(0);
    PartitionLog log = fixture.open();
    log.appendReplicated(fixture.replicated(5, 1, "a"));
    fixture.clock.advanceMs(10);
    log.appendReplicated(fixture.replicated(100, 2, "b", "c"));
    log.roll();
    fixture.clock.advanceMs(10);
    log.appendReplicated(fixture.replicated(1000, 2, "d"));
    for (int run = 0; run < 2; run++) {
      assertThat(basesFrom(log, 0)).containsExactly(5L, 100L, 1000L);
      assertThat(basesFrom(log, 6)).containsExactly(100L, 1000L);
      assertThat(basesFrom(log, 101)).containsExactly(100L, 1000L);
      assertThat(basesFrom(log, 102)).containsExactly(1000L);
      assertThat(basesFrom(log, 999)).containsExactly(1000L);
      assertThat(isEmptyAt(log, 1001)).isTrue();
      assertThat(log.offsetForTimestamp(fixture.clock.wallMs(), 1001))
          .isEqualTo(new TimestampedOffset(fixture.clock.wallMs(), 1000, 2));
      log = fixture.openAfterCleanStop(log);
    }
    log.advanceLogStartOffset(50, 1001);
    assertThat(basesFrom(log, 50)).containsExactly(100L, 1000L);
    assertThat(basesFrom(fixture.openAfterKill(0), 50)).containsExactly(100L, 1000L);
  }

  @Test
  void offsetsBeyondTwoToThe31AreFoundAlsoAfterRecovery() throws Exception {
    fixture.settings = fixture.settings.withIndexIntervalBytes(0);
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    List<Long> bases = new ArrayList<>(List.of(0L));
    for (long base : new long[] {Integer.MAX_VALUE - 1L, FAR, 2 * FAR, 1L << 40}) {
      fixture.clock.advanceMs(10);
      log.appendReplicated(fixture.replicated(base, 1, "x", "y"));
      bases.add(base);
    }
    for (int run = 0; run < 3; run++) {
      assertThat(LogFixture.bases(log)).as("run %d", run).isEqualTo(bases);
      for (int i = 1; i < bases.size(); i++) {
        assertThat(basesFrom(log, bases.get(i) + 1)).isEqualTo(bases.subList(i, bases.size()));
        assertThat(basesFrom(log, bases.get(i) - 1)).isEqualTo(bases.subList(i, bases.size()));
      }
      assertThat(log.offsetForTimestamp(fixture.clock.wallMs(), log.logEndOffset()).offset())
          .isEqualTo(1L << 40);
      log = run == 0 ? fixture.openAfterCleanStop(log) : fixture.openAfterKill(log.logEndOffset());
    }
    assertThat(fixture.append(log, 1, "z").baseOffset()).isEqualTo((1L << 40) + 2);
  }

  @Test
  void timesThatGoBackAreFoundAndTheNewestOneCountsForRetention() throws Exception {
    fixture.settings =
        fixture.settings.withIndexIntervalBytes(0).withRetentionMs(1000).withSegmentMs(1 << 30);
    PartitionLog log = fixture.open();
    long now = fixture.clock.wallMs();
    log.append(Batches.plain(now, "a"), 1, AppendOrigin.CLIENT);
    log.append(Batches.plain(now - 500, "b"), 1, AppendOrigin.CLIENT);
    log.append(Batches.plain(now - 5000, "c"), 1, AppendOrigin.CLIENT);
    for (int run = 0; run < 2; run++) {
      assertThat(log.offsetForTimestamp(now - 9999, 3).offset()).isZero();
      assertThat(log.offsetForTimestamp(now, 3).offset()).isZero();
      assertThat(log.offsetForTimestamp(now + 1, 3)).isNull();
      assertThat(log.maxTimestamp(3)).isEqualTo(new TimestampedOffset(now, 0, 1));
      log = fixture.openAfterCleanStop(log);
    }
    fixture.clock.advanceMs(1000);
    assertThat(log.deleteOldSegments(3)).as("the newest is not older than that yet").isZero();
    fixture.clock.advanceMs(1);
    assertThat(log.deleteOldSegments(3)).isEqualTo(1);
    assertThat(log.logStartOffset()).isEqualTo(3);
  }

  @Test
  void aTimeInTheFutureKeepsItsSegmentUntilThatTimeIsOldAndNoLonger() throws Exception {
    fixture.settings = fixture.settings.withRetentionMs(1000);
    PartitionLog log = fixture.open();
    long future = fixture.clock.wallMs() + 3_000_000;
    log.append(Batches.plain(future, "a"), 1, AppendOrigin.CLIENT);
    fixture.clock.advanceMs(2_000_000);
    assertThat(log.deleteOldSegments(1)).isZero();
    assertThat(log.offsetForTimestamp(fixture.clock.wallMs(), 1).offset()).isZero();
    fixture.clock.advanceMs(1_001_001);
    assertThat(log.deleteOldSegments(1)).isEqualTo(1);
  }

  @Test
  void whenAllHasExpiredTheLogEndStaysAlsoAfterAnyRestart() throws Exception {
    fixture.settings = fixture.settings.withRetentionMs(1000);
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b", "c");
    fixture.append(log, 2, "d");
    fixture.clock.advanceMs(1001);
    assertThat(log.deleteOldSegments(4)).isEqualTo(1);
    for (int run = 0; run < 3; run++) {
      assertThat(log.logStartOffset()).isEqualTo(4);
      assertThat(log.logEndOffset()).isEqualTo(4);
      assertThat(isEmptyAt(log, 4)).isTrue();
      outOfRange(log, 3);
      outOfRange(log, 5);
      assertThat(log.maxTimestamp(4)).isNull();
      assertThat(log.deleteOldSegments(4)).isZero();
      log = run == 0 ? fixture.openAfterCleanStop(log) : fixture.openAfterKill(0);
    }
    assertThat(fixture.append(log, 2, "e").baseOffset()).isEqualTo(4);
  }

  @Test
  void aBatchOfExactlyTheRoomThatIsLeftDoesNotRollAndOneByteMoreDoes() throws Exception {
    int one = Batches.plain(fixture.clock.wallMs(), "a").remaining();
    fixture.settings = fixture.settings.withSegmentBytes(2 * one);
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.append(log, 1, "b");
    assertThat(log.segmentCount()).isEqualTo(1);
    fixture.append(log, 1, "c");
    assertThat(log.segmentCount()).isEqualTo(2);
    fixture.append(log, 1, "dd");
    assertThat(log.segmentCount()).isEqualTo(3);
  }
}
