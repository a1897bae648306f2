package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LogReadTest {
  private final LogFixture fixture = new LogFixture();

  private static List<StoredBatch> batches(LogRead read) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(read.length());
    Objects.requireNonNull(read.slice()).read(bytes, 0);
    return StoredBatch.allIn(bytes.flip());
  }

  @Test
  void aReadInsideABatchReturnsTheWholeBatchAlsoTheLastOne() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b", "c");
    fixture.append(log, 1, "d", "e", "f");
    assertThat(batches(log.read(1, 10_000, true, 6)).get(0).baseOffset()).isZero();
    List<StoredBatch> last = batches(log.read(5, 10_000, true, 6));
    assertThat(last).hasSize(1);
    assertThat(last.get(0).baseOffset()).isEqualTo(3);
    assertThat(log.read(6, 10_000, true, 6).isEmpty()).isTrue();
  }

  @Test
  void aReaderSeesNothingAtOrBeyondTheBoundAlsoWhenASegmentRolledThere() throws Exception {
    // KAFKA-9196, KAFKA-3159
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.append(log, 1, "b");
    log.roll();
    fixture.append(log, 1, "c");
    assertThat(batches(log.read(0, 10_000, true, 2))).hasSize(2);
    assertThat(log.read(2, 10_000, true, 2).isEmpty()).isTrue();
    assertThat(batches(log.read(0, 10_000, true, 1))).hasSize(1);
    assertThat(log.read(0, 10_000, true, 0).isEmpty()).isTrue();
  }

  @Test
  void aBatchThatReachesTheBoundIsLeftOut() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.append(log, 1, "b", "c", "d");
    assertThat(batches(log.read(0, 10_000, true, 3))).hasSize(1);
    assertThat(log.read(1, 10_000, true, 3).isEmpty()).isTrue();
  }

  @Test
  void anIndexThatIsWrongCostsTimeAlone() throws Exception {
    fixture.settings = fixture.settings.withIndexIntervalBytes(0);
    PartitionLog log = fixture.open();
    for (int i = 0; i < 10; i++) {
      fixture.append(log, 1, "value " + i);
    }
    int bytes = (int) log.sizeInBytes();
    log.roll();
    log.flushAndWait();
    log.releaseIdleFiles();
    log.releaseIdleFiles();
    int batch = bytes / 10;
    for (int position : new int[] {9 * batch, 9 * batch + 7, bytes, bytes + 1000, -1}) {
      fixture
          .folder()
          .writeAtomically(
              "00000000000000000000.index",
              ByteBuffer.allocate(8).putInt(2).putInt(position).array());
      for (long offset = 0; offset < 10; offset++) {
        assertThat(batches(log.read(offset, 1, true, 10)).get(0).baseOffset())
            .as("offset %d, indexed position %d", offset, position)
            .isEqualTo(offset);
      }
      log.releaseIdleFiles();
      log.releaseIdleFiles();
    }
  }

  @Test
  void batchesAreWholeAndTheFirstOneComesHoweverSmallTheBound() throws Exception {
    fixture.settings = fixture.settings.withIndexIntervalBytes(300);
    PartitionLog log = fixture.open();
    for (int i = 0; i < 100; i++) {
      fixture.append(log, 1, "value " + i);
    }
    int one = log.read(0, 1, true, 100).length();
    assertThat(log.read(0, one - 1, false, 100).isEmpty()).isTrue();
    assertThat(log.read(0, one - 1, true, 100).length()).isEqualTo(one);
    for (int maxBytes = one; maxBytes < 60 * one; maxBytes += 37) {
      LogRead read = log.read(7, maxBytes, true, 100);
      assertThat(read.length()).isBetween(maxBytes - 2 * one, maxBytes);
      assertThat(batches(read).get(0).baseOffset()).isEqualTo(7);
      assertThat(read.nextOffset()).isEqualTo(7 + batches(read).size());
    }
  }

  @Test
  void anEmptyReadAndAFullOneCarryTheBoundsOfTheSameMoment() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b");
    log.advanceLogStartOffset(1, 2);
    LogRead read = log.read(1, 100, true, 2);
    assertThat(read.logStartOffset()).isEqualTo(1);
    assertThat(read.logEndOffset()).isEqualTo(2);
    assertThatThrownBy(() -> log.read(3, 100, true, 2))
        .isInstanceOf(OffsetOutOfRange.class)
        .hasMessageContaining("from 1 to 2");
  }

  @Test
  void recordsAreFoundByTimeAcrossSegmentsAndWithinBatches() throws Exception {
    fixture.settings = fixture.settings.withSegmentBytes(300).withIndexIntervalBytes(0);
    PartitionLog log = fixture.open();
    long start = fixture.clock.wallMs();
    for (int i = 0; i < 40; i++) {
      fixture.append(log, i / 10, "a", "b");
      fixture.clock.advanceMs(10);
    }
    log = fixture.openAfterCleanStop(log);
    for (int i = 0; i < 40; i++) {
      assertThat(log.offsetForTimestamp(start + 10L * i, 80))
          .isEqualTo(new TimestampedOffset(start + 10L * i, 2L * i, i / 10));
      assertThat(log.offsetForTimestamp(start + 10L * i - 9, 80))
          .isEqualTo(new TimestampedOffset(start + 10L * i, 2L * i, i / 10));
    }
    assertThat(log.offsetForTimestamp(start + 391, 80)).isNull();
    assertThat(log.offsetForTimestamp(start + 300, 60)).isNull();
    assertThat(log.maxTimestamp(80)).isEqualTo(new TimestampedOffset(start + 390, 78, 3));
    assertThat(log.maxTimestamp(40)).isEqualTo(new TimestampedOffset(start + 190, 38, 1));
  }

  @Test
  void theNewestRecordNeedNotBeTheLast() throws Exception {
    PartitionLog log = fixture.open();
    long now = fixture.clock.wallMs();
    log.append(Batches.plain(now, "a"), 1, AppendOrigin.CLIENT);
    log.append(Batches.plain(now + 50, "b"), 1, AppendOrigin.CLIENT);
    log.append(Batches.plain(now + 20, "c"), 1, AppendOrigin.CLIENT);
    assertThat(log.maxTimestamp(3)).isEqualTo(new TimestampedOffset(now + 50, 1, 1));
    assertThat(log.maxTimestamp(1)).isEqualTo(new TimestampedOffset(now, 0, 1));
    assertThat(log.maxTimestamp(0)).isNull();
  }

  @Test
  void idleFilesAreClosedAndOpenAgainWhenNeeded() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    log.releaseIdleFiles();
    log.releaseIdleFiles();
    assertThat(LogFixture.bases(log)).containsExactly(0L);
    fixture.append(log, 1, "b");
    log.releaseIdleFiles();
    log.releaseIdleFiles();
    log.flushAndWait();
    assertThat(log.syncedEndOffset()).isEqualTo(2);
  }

  @Test
  void aClosedLogRefusesToRead() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    log.close(true);
    assertThatThrownBy(() -> log.read(0, 1, true, 1)).hasMessageContaining("is closed");
  }
}
