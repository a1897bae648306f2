package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Directory;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RemovedTail;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class LostTailsTest {
  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  private VirtualDisk disk = new VirtualDisk(1);

  private Directory folder() {
    return disk.root().directory(ReplicaCluster.ID.folderName());
  }

  private PartitionLog open() throws Exception {
    return PartitionLog.open(
        ReplicaCluster.ID, folder(), LogSettings.defaults(), LogOpening.unknown(), clock);
  }

  private void append(PartitionLog log, int epoch, String... values) throws Exception {
    log.append(Batches.plain(clock.wallMs(), values), epoch, AppendOrigin.CLIENT);
  }

  /** One batch with epoch 0 below three with epochs 1, 1 and 2. */
  private PartitionLog logToCut() throws Exception {
    PartitionLog log = open();
    append(log, 0, "kept");
    append(log, 1, "b", "c");
    append(log, 1, "d");
    append(log, 2, "e", "f", "g");
    return log;
  }

  @Test
  void aLostTailTellsEpochsOffsetsRecordsAndBytes() throws Exception {
    PartitionLog log = logToCut();
    int bytes = StoredRecord.bytes(log, 1, 7).remaining();
    LostTails tails = new LostTails(log, 1 << 20);
    tails.keep(1, 5, 2, 99);
    assertThat(tails.all())
        .containsExactly(
            new LostTail(
                5,
                99,
                new RemovedTail(1, 6, 1, 2, 6, 1, bytes, bytes),
                "00000000000000000001-5.losttail"));
  }

  @Test
  void theRemovedBatchesAreKeptByteForByte() throws Exception {
    PartitionLog log = logToCut();
    ByteBuffer removed = StoredRecord.bytes(log, 1, 7);
    LostTails tails = new LostTails(log, 1 << 20);
    tails.keep(1, 5, 1, 99);
    byte[] kept = folder().readAll(tails.all().get(0).file());
    assertThat(ByteBuffer.wrap(kept)).isEqualTo(removed);
  }

  @Test
  void aCutInsideABatchLosesTheWholeBatch() throws Exception {
    PartitionLog log = logToCut();
    LostTails tails = new LostTails(log, 1 << 20);
    tails.keep(2, 5, 1, 99);
    log.truncateTo(2);
    assertThat(log.logEndOffset()).isEqualTo(1);
    assertThat(tails.all().get(0).removed().firstOffset()).isEqualTo(1);
    assertThat(tails.all().get(0).removed().records()).isEqualTo(6);
  }

  @Test
  void nothingIsListedWhenNothingIsCut() throws Exception {
    PartitionLog log = logToCut();
    LostTails tails = new LostTails(log, 1 << 20);
    tails.keep(7, 5, 1, 99);
    assertThat(tails.all()).isEmpty();
    assertThat(folder().list()).noneMatch(name -> name.contains("lost"));
  }

  @Test
  void noMoreThanTheBoundIsKeptInWholeBatches() throws Exception {
    PartitionLog log = logToCut();
    int two = StoredRecord.bytes(log, 1, 4).remaining();
    LostTails tails = new LostTails(log, two + 10);
    tails.keep(1, 5, 1, 99);
    RemovedTail removed = tails.all().get(0).removed();
    assertThat(removed.keptBytes()).isEqualTo(two);
    assertThat(removed.records()).isEqualTo(6);
    assertThat(folder().readAll(tails.all().get(0).file())).hasSize(two);
  }

  @Test
  void withABoundOfZeroATailIsListedAndNothingKept() throws Exception {
    PartitionLog log = logToCut();
    LostTails tails = new LostTails(log, 0);
    tails.keep(1, 5, 1, 99);
    assertThat(tails.all().get(0).removed().keptBytes()).isZero();
    assertThat(folder().list()).noneMatch(name -> name.endsWith(".losttail"));
  }

  @Test
  void theOldestMakeRoomAndStayListed() throws Exception {
    PartitionLog log = logToCut();
    int bytes = StoredRecord.bytes(log, 1, 7).remaining();
    LostTails tails = new LostTails(log, bytes);
    tails.keep(4, 5, 1, 99);
    log.truncateTo(4);
    tails.keep(1, 6, 1, 100);
    log.truncateTo(1);
    append(log, 7, "1", "2", "3", "4", "5", "6", "7", "8", "9");
    tails.keep(1, 8, 1, 101);
    assertThat(tails.all()).hasSize(3);
    assertThat(tails.all().get(0).removed().keptBytes()).isZero();
    assertThat(tails.all().get(0).removed().records()).isEqualTo(3);
    long kept = tails.all().stream().mapToLong(tail -> tail.removed().keptBytes()).sum();
    assertThat(kept).isPositive().isLessThanOrEqualTo(bytes);
    assertThat(folder().list().stream().filter(name -> name.endsWith(".losttail")))
        .containsExactlyElementsOf(
            tails.all().stream()
                .filter(tail -> tail.removed().keptBytes() > 0)
                .map(LostTail::file)
                .sorted()
                .toList());
  }

  @Test
  void theListIsBounded() throws Exception {
    PartitionLog log = open();
    LostTails tails = new LostTails(log, 0);
    for (int i = 0; i <= LostTails.MAX_LISTED; i++) {
      append(log, i, "v");
      tails.keep(0, i + 1, 0, i);
      log.truncateTo(0);
    }
    assertThat(tails.all()).hasSize(LostTails.MAX_LISTED);
    assertThat(tails.all().get(0).atMs()).isEqualTo(1);
  }

  @Test
  void theListOutlivesTheProcessAndTheOpeningOfTheLog() throws Exception {
    PartitionLog log = logToCut();
    LostTails tails = new LostTails(log, 1 << 20);
    tails.keep(1, 5, 1, 99);
    log.truncateTo(1);
    List<LostTail> before = tails.all();
    disk.processKill();
    LostTails after = new LostTails(open(), 1 << 20);
    assertThat(after.all()).isEqualTo(before);
    assertThat(folder().readAll(before.get(0).file())).isNotEmpty();
  }

  @Test
  void whatIsDroppedIsGoneWithItsFile() throws Exception {
    PartitionLog log = logToCut();
    LostTails tails = new LostTails(log, 1 << 20);
    tails.keep(1, 5, 1, 99);
    LostTail tail = tails.all().get(0);
    assertThat(tails.drop(tail)).isTrue();
    assertThat(tails.drop(tail)).isFalse();
    assertThat(tails.all()).isEmpty();
    assertThat(folder().list()).noneMatch(name -> name.endsWith(".losttail"));
  }

  @Test
  void aDamagedListBeginsAnew() throws Exception {
    PartitionLog log = logToCut();
    folder().writeAtomically("lost-tails", new byte[] {1, 2, 3});
    LostTails tails = new LostTails(log, 1 << 20);
    assertThat(tails.all()).isEmpty();
    tails.keep(1, 5, 1, 99);
    assertThat(new LostTails(log, 1 << 20).all()).hasSize(1);
  }

  @Test
  void whereverPowerGoesOffDuringATruncationItsTailIsListedOnceAndWhole() throws Exception {
    int crashes = 0;
    boolean finished = false;
    for (long change = 0; !finished; change++) {
      disk = new VirtualDisk(change);
      PartitionLog log = logToCut();
      log.flushAndWait();
      ByteBuffer removed = StoredRecord.bytes(log, 1, 7);
      disk.faults().powerOffAt(disk.faults().changes() + change);
      try {
        cut(log);
        finished = true;
      } catch (PowerWentOff e) {
        crashes++;
        disk.powerLoss(change);
        disk.faults().powerOffAt(-1);
      }
      PartitionLog again = finished ? log : open();
      if (!finished) {
        cut(again);
      }
      assertThat(again.logEndOffset()).isEqualTo(1);
      checkKept(again, removed, change);
    }
    assertThat(crashes).isGreaterThan(10);
  }

  private void cut(PartitionLog log) throws Exception {
    new LostTails(log, 1 << 20).keep(1, 5, 1, 99);
    log.truncateTo(1);
  }

  /**
   * The tail may have gone in parts if power went off within the truncation; nothing is missing.
   */
  private void checkKept(PartitionLog log, ByteBuffer removed, long change) throws Exception {
    List<LostTail> all = new LostTails(log, 1 << 20).all();
    assertThat(all).as("change %d", change).isNotEmpty();
    LostTail whole = all.get(0);
    assertThat(whole.removed().records()).isEqualTo(6);
    assertThat(ByteBuffer.wrap(folder().readAll(whole.file()))).isEqualTo(removed);
    assertThat(all.stream().filter(tail -> tail.removed().records() == 6)).hasSize(1);
  }
}
