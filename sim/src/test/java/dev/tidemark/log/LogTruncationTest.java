package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LogTruncationTest {
  private final LogFixture fixture = new LogFixture();

  @Test
  void truncationKeepsTheSegmentsBelowAndGoesOnInThem() throws Exception {
    fixture.settings = fixture.settings.withSegmentBytes(250);
    PartitionLog log = fixture.open();
    for (int i = 0; i < 20; i++) {
      fixture.append(log, 1, "v" + i, "w" + i);
    }
    int before = log.segmentCount();
    log.truncateTo(21);
    assertThat(log.logEndOffset()).isEqualTo(20);
    assertThat(log.segmentCount()).isBetween(2, before - 1);
    assertThat(fixture.append(log, 2, "x").baseOffset()).isEqualTo(20);
    assertThat(LogFixture.bases(log)).hasSize(11).endsWith(18L, 20L);
    assertThat(log.epochForOffset(20)).isEqualTo(2);
  }

  @Test
  void fullTruncationToTheOwnStartLeavesAnEmptyLogThatAcceptsAppends() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    log.truncateFullyAndStartAt(0);
    assertThat(log.logEndOffset()).isZero();
    assertThat(log.logStartOffset()).isZero();
    assertThat(fixture.folder().exists(FileNames.of(0, FileNames.LOG))).isTrue();
    assertThat(fixture.append(log, 2, "b").baseOffset()).isZero();
    assertThat(LogFixture.bases(fixture.openAfterKill(0))).containsExactly(0L);
  }

  @Test
  void fullTruncationMayStartAnywhere() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    log.truncateFullyAndStartAt(100);
    assertThat(log.logStartOffset()).isEqualTo(100);
    assertThat(log.latestEpoch()).isEqualTo(-1);
    assertThat(fixture.append(log, 2, "b").baseOffset()).isEqualTo(100);
    assertThat(fixture.openAfterKill(0).logStartOffset()).isEqualTo(100);
  }

  @Test
  void appendWorksAfterTruncationToAnEmptySegment() throws Exception {
    // KAFKA-6492
    fixture.settings =
        fixture.settings.withIndexIntervalBytes(0).withIndexBytes(64).withSegmentBytes(1 << 20);
    PartitionLog log = fixture.open();
    while (log.segmentCount() < 2) {
      fixture.append(log, 1, "a");
    }
    long base = log.logEndOffset() - 1;
    for (int i = 0; i < 4; i++) {
      fixture.append(log, 1, "b");
    }
    log.truncateTo(base);
    assertThat(fixture.append(log, 2, "c").baseOffset()).isEqualTo(base);
    assertThat(log.segmentCount()).isEqualTo(2);
  }

  @Test
  void appendsGoOnInAnEarlierSegmentThatWasCutAtItsStart() throws Exception {
    // KAFKA-6492
    fixture.settings = fixture.settings.withIndexIntervalBytes(0).withIndexBytes(64);
    PartitionLog log = fixture.open();
    List<Long> rolledAt = new ArrayList<>();
    while (rolledAt.size() < 3) {
      int before = log.segmentCount();
      long base = fixture.append(log, 1, "a").baseOffset();
      if (log.segmentCount() > before) {
        rolledAt.add(base);
      }
    }
    long cut = rolledAt.get(0);
    log.truncateTo(cut);
    assertThat(log.segmentCount()).isEqualTo(2);
    for (long offset = cut; offset < rolledAt.get(1); offset++) {
      assertThat(fixture.append(log, 2, "b").baseOffset()).isEqualTo(offset);
      assertThat(log.segmentCount()).as("at offset %d its index has room", offset).isEqualTo(2);
    }
    assertThat(fixture.append(log, 2, "c").baseOffset()).isEqualTo(rolledAt.get(1));
    assertThat(log.segmentCount()).isEqualTo(3);
    List<Long> all = LongStream.rangeClosed(0, rolledAt.get(1)).boxed().toList();
    assertThat(LogFixture.bases(log)).isEqualTo(all);
    PartitionLog again = fixture.openAfterKill(0);
    assertThat(LogFixture.bases(again)).isEqualTo(all);
    assertThat(again.epochStarts()).containsExactly(new EpochStart(1, 0), new EpochStart(2, cut));
  }

  @Test
  void anEmptyFollowerTakesTheBatchThatHoldsTheLogStart() throws Exception {
    // KAFKA-6975
    PartitionLog log = fixture.open();
    log.truncateFullyAndStartAt(7);
    log.appendReplicated(fixture.replicated(5, 1, "a", "b", "c", "d", "e"));
    assertThat(log.logStartOffset()).isEqualTo(7);
    assertThat(log.logEndOffset()).isEqualTo(10);
    assertThat(LogFixture.bases(log)).containsExactly(5L);
  }

  @Test
  void aFollowerRefusesABatchBelowItsEnd() throws Exception {
    PartitionLog log = fixture.open();
    log.appendReplicated(fixture.replicated(0, 1, "a", "b"));
    assertThatThrownBy(() -> log.appendReplicated(fixture.replicated(1, 1, "b", "c")))
        .isInstanceOf(RefusedAppend.class)
        .hasMessageContaining("next offset is 2");
    assertThat(log.logEndOffset()).isEqualTo(2);
  }

  @Test
  void aFollowerKeepsTheGapsThatTheLeaderHas() throws Exception {
    PartitionLog log = fixture.open();
    log.appendReplicated(fixture.replicated(0, 1, "a"));
    log.appendReplicated(fixture.replicated(10, 1, "b"));
    assertThat(LogFixture.bases(log)).containsExactly(0L, 10L);
    LogRead read = log.read(4, 1000, true, 11);
    assertThat(read.nextOffset()).isEqualTo(11);
    log.truncateTo(5);
    assertThat(log.logEndOffset()).isEqualTo(5);
  }

  @Test
  void aReplicatedBatchThatIsCutOffIsLeftOut() throws Exception {
    PartitionLog log = fixture.open();
    ByteBuffer whole = fixture.replicated(0, 1, "a");
    ByteBuffer part = fixture.replicated(1, 1, "b");
    ByteBuffer both = ByteBuffer.allocate(1000).put(whole).put(part.limit(70)).flip();
    AppendResult result = log.appendReplicated(both);
    assertThat(result.lastOffset()).isZero();
    assertThat(log.appendReplicated(part.position(0)).baseOffset()).isEqualTo(-1);
  }

  @Test
  void truncationOfTheFirstOpenTransactionTakesItOutOfTheStableOffset() throws Exception {
    // KAFKA-12153
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    log.append(
        Batches.transactional(9, 0, 0, fixture.clock.wallMs(), "t"), 1, AppendOrigin.COORDINATOR);
    fixture.append(log, 1, "b");
    assertThat(log.lastStableOffset(3)).isEqualTo(1);
    log.truncateTo(1);
    assertThat(log.lastStableOffset(1)).isEqualTo(1);
    fixture.append(log, 2, "c");
    assertThat(log.lastStableOffset(2)).isEqualTo(2);
  }

  @Test
  void aFailedTruncationClosesTheLogToAppends() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.append(log, 1, "b");
    fixture.disk.faults().failNext(dev.tidemark.sim.DiskFaults.Change.SYNC, 0);
    assertThatThrownBy(() -> log.truncateTo(1)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> fixture.append(log, 1, "c")).isInstanceOf(RefusedAppend.class);
  }
}
