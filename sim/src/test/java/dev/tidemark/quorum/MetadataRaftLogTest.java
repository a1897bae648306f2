package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.UnalignedMemoryRecords;
import org.apache.kafka.raft.Isolation;
import org.apache.kafka.raft.LogAppendInfo;
import org.apache.kafka.raft.LogOffsetMetadata;
import org.apache.kafka.raft.ValidOffsetAndEpoch;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.RawSnapshotReader;
import org.apache.kafka.snapshot.RawSnapshotWriter;
import org.junit.jupiter.api.Test;

/** What raft relies on in its log, on a disk that lies. */
class MetadataRaftLogTest {
  private final VirtualClock clock = new VirtualClock(1000);
  private VirtualDisk disk = new VirtualDisk(1);

  private Directory folder() {
    return disk.root().directory("__cluster_metadata-0");
  }

  private MetadataRaftLog open() throws IOException {
    return MetadataRaftLog.open(folder(), clock);
  }

  private static MemoryRecords batch(long baseOffset, int epoch, String... topics) {
    try {
      return MemoryRecords.readableRecords(
          MetadataBatches.encode(
              List.of(topics).stream().map(QuorumMember::record).toList(),
              baseOffset,
              epoch,
              1000));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MemoryRecords together(MemoryRecords... batches) {
    int bytes = 0;
    for (MemoryRecords one : batches) {
      bytes += one.sizeInBytes();
    }
    ByteBuffer all = ByteBuffer.allocate(bytes);
    for (MemoryRecords one : batches) {
      all.put(one.buffer());
    }
    return MemoryRecords.readableRecords(all.flip());
  }

  private static void commitAll(MetadataRaftLog log) {
    log.updateHighWatermark(log.endOffset());
  }

  private static List<String> topics(MetadataRaftLog log) throws IOException {
    List<String> topics = new ArrayList<>();
    long offset = log.startOffset();
    while (offset < log.endOffset().offset()) {
      MemoryRecords read =
          (MemoryRecords) log.read(offset, Isolation.UNCOMMITTED, Integer.MAX_VALUE).records;
      var unused =
          MetadataBatches.decode(
              "log",
              read.buffer(),
              one ->
                  one.records()
                      .forEach(record -> topics.add(((TopicRecord) record.message()).name())));
      for (MutableRecordBatch each : read.batches()) {
        offset = each.nextOffset();
      }
    }
    return topics;
  }

  @Test
  void whatIsAppendedIsReadWithItsOffsetsAndEpochs() throws IOException {
    MetadataRaftLog log = open();
    assertThat(log.appendAsLeader(batch(0, 3, "a", "b"), 3)).isEqualTo(new LogAppendInfo(0, 1));
    assertThat(log.appendAsFollower(batch(2, 4, "c"), 4)).isEqualTo(new LogAppendInfo(2, 2));
    assertThat(log.endOffset().offset()).isEqualTo(3);
    assertThat(log.lastFetchedEpoch()).isEqualTo(4);
    assertThat(topics(log)).containsExactly("a", "b", "c");
    assertThat(log.endOffsetForEpoch(3)).isEqualTo(new OffsetAndEpoch(2, 3));
    assertThat(log.endOffsetForEpoch(9)).isEqualTo(new OffsetAndEpoch(3, 4));
  }

  @Test
  void onlyWhatIsBelowTheHighWatermarkIsReadAsCommitted() throws IOException {
    MetadataRaftLog log = open();
    log.appendAsLeader(batch(0, 1, "a"), 1);
    log.appendAsLeader(batch(1, 1, "b"), 1);
    log.updateHighWatermark(new LogOffsetMetadata(1));
    assertThat(log.read(0, Isolation.COMMITTED, 1 << 20).records.sizeInBytes())
        .isEqualTo(batch(0, 1, "a").sizeInBytes());
    assertThat(log.read(1, Isolation.COMMITTED, 1 << 20).records.sizeInBytes()).isZero();
    assertThat(log.read(1, Isolation.UNCOMMITTED, 1).records.sizeInBytes()).isPositive();
    assertThatThrownBy(() -> log.read(3, Isolation.UNCOMMITTED, 1))
        .isInstanceOf(OffsetOutOfRangeException.class);
  }

  @Test
  void aFollowerTakesNothingOfALaterEpochThanItsLeaders() throws IOException {
    MetadataRaftLog log = open();
    LogAppendInfo appended =
        log.appendAsFollower(together(batch(0, 1, "a"), batch(1, 2, "b"), batch(2, 3, "c")), 2);
    assertThat(appended).isEqualTo(new LogAppendInfo(0, 1));
    assertThat(topics(log)).containsExactly("a", "b");
    assertThatThrownBy(() -> log.appendAsFollower(batch(2, 5, "c"), 2))
        .isInstanceOf(CorruptRecordException.class);
  }

  @Test
  void aFollowerTakesNeitherAGapNorADamagedBatch() throws IOException {
    MetadataRaftLog log = open();
    assertThatThrownBy(() -> log.appendAsFollower(batch(1, 1, "a"), 1))
        .isInstanceOf(CorruptRecordException.class)
        .hasMessageContaining("where 0 is due");
    MemoryRecords damaged = batch(0, 1, "a");
    damaged.buffer().put(70, (byte) 99);
    assertThatThrownBy(() -> log.appendAsFollower(damaged, 1))
        .isInstanceOf(CorruptRecordException.class);
    assertThat(log.endOffset().offset()).isZero();
    assertThat(log.appendAsFollower(batch(0, 1, "a"), 1).lastOffset()).isZero();
  }

  @Test
  void whatIsCommittedIsNeverCut() throws IOException {
    MetadataRaftLog log = open();
    log.appendAsLeader(batch(0, 1, "a"), 1);
    log.appendAsLeader(batch(1, 1, "b"), 1);
    log.updateHighWatermark(new LogOffsetMetadata(1));
    assertThatThrownBy(() -> log.truncateTo(0)).hasMessageContaining("below 1 is committed");
    assertThat(log.truncateToEndOffset(new OffsetAndEpoch(1, 1))).isEqualTo(1);
    assertThat(topics(log)).containsExactly("a");
  }

  @Test
  void anEpochBeginsWithItsElectionAlsoWithoutARecord() throws IOException {
    MetadataRaftLog log = open();
    log.appendAsLeader(batch(0, 1, "a"), 1);
    log.initializeLeaderEpoch(5);
    assertThat(log.lastFetchedEpoch()).isEqualTo(5);
    assertThat(log.endOffsetForEpoch(4)).isEqualTo(new OffsetAndEpoch(1, 1));
  }

  @Test
  void afterALossOfPowerAtAnyChangeAllThatWasSyncedIsThere() throws IOException {
    disk = new VirtualDisk(3);
    life();
    long changes = disk.faults().changes();
    assertThat(changes).isGreaterThan(20);
    for (long change = 0; change < 8 * changes; change++) { // each with several losses of power
      disk = new VirtualDisk(3);
      disk.faults().powerOffAt(change % changes);
      List<String> synced = new ArrayList<>();
      try {
        life(synced);
      } catch (PowerWentOff e) {
        disk.powerLoss(change);
      }
      MetadataRaftLog log = open();
      List<String> after = topics(log);
      assertThat(after.subList(0, Math.min(synced.size(), after.size())))
          .as("change %s", change)
          .isEqualTo(synced);
      long end = log.endOffset().offset();
      log.appendAsFollower(batch(end, 9, "more"), 9);
      log.close();
      assertThat(topics(open())).as("change %s", change).hasSize(after.size() + 1).contains("more");
    }
  }

  private void life() throws IOException {
    life(new ArrayList<>());
  }

  /** So many that a batch of them lies in several pages of the disk. */
  private static String[] manyTopics(String begin) {
    String[] topics = new String[120];
    for (int i = 0; i < topics.length; i++) {
      topics[i] = begin + i;
    }
    return topics;
  }

  /** Tells of what is synced. */
  private void life(List<String> synced) throws IOException {
    MetadataRaftLog log = open();
    log.appendAsLeader(batch(0, 1, "a"), 1);
    log.flush(false);
    synced.add("a");
    for (int i = 0; i < 4; i++) {
      long end = log.endOffset().offset();
      String[] some = manyTopics(i + "x");
      String[] more = manyTopics(i + "y");
      log.appendAsFollower(
          together(
              batch(end, 2, some),
              batch(end + some.length, 2, "between" + i),
              batch(end + some.length + 1, 2, more)),
          2);
      synced.addAll(List.of(some));
      synced.add("between" + i);
      synced.addAll(List.of(more));
      log.appendAsFollower(batch(log.endOffset().offset(), 2, "e" + i), 2);
      synced.add("e" + i);
    }
    log.close();
  }

  /** Its pages count as synced for the system, so that one more sync would not write them. */
  @Test
  void whatAProcessCouldNotSyncBeforeItWasKilledIsSyncedByTheNext() throws IOException {
    for (int batches = 0; batches < 4; batches++) { // of a follower; none of them: a leader's
      disk = new VirtualDisk(batches);
      disk.faults().failedSyncsDrop(true);
      MetadataRaftLog log = open();
      log.appendAsFollower(batch(0, 1, "a"), 1);
      appendWithFailedSync(log, batches);
      disk.processKill();

      MetadataRaftLog next = open();
      List<String> seen = topics(next);
      assertThat(seen).hasSize(1 + Math.max(batches, 1));
      next.appendAsFollower(batch(next.endOffset().offset(), 1, "z"), 1);
      disk.powerLoss(batches);

      assertThat(topics(open())).startsWith(seen.toArray(String[]::new)).endsWith("z");
    }
  }

  private void appendWithFailedSync(MetadataRaftLog log, int batches) {
    MemoryRecords[] some = new MemoryRecords[Math.max(batches, 1)];
    for (int i = 0; i < some.length; i++) {
      some[i] = batch(1 + i, 1, "b" + i);
    }
    // The note of several batches is synced before them.
    disk.faults().failNext(Change.SYNC, batches > 1 ? 1 : 0);
    assertThatThrownBy(
            () -> {
              if (batches == 0) {
                log.appendAsLeader(some[0], 1);
                log.flush(false);
              } else {
                log.appendAsFollower(together(some), 1);
              }
            })
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void aVoteThatAProcessCouldNotSyncBeforeItWasKilledIsSyncedByTheNext() throws IOException {
    for (int seed = 0; seed < 20; seed++) {
      disk = new VirtualDisk(seed);
      open().close();
      QuorumStateFile.Content vote = new QuorumStateFile.Content(-1, 5, 2, Uuid.ZERO_UUID);
      disk.faults().failNext(Change.SYNC_FOLDER, 0);
      assertThatThrownBy(() -> QuorumStateFile.write(folder(), vote))
          .isInstanceOf(IOException.class);
      disk.processKill();
      open();
      assertThat(QuorumStateFile.read(folder())).contains(vote);
      disk.powerLoss(seed);
      assertThat(QuorumStateFile.read(folder())).contains(vote);
    }
  }

  @Test
  void damageToWhatWasSyncedIsReportedAlsoOnAFollower() throws IOException {
    life();
    disk.processKill();
    disk.rot("__cluster_metadata-0/00000000000000000000.log", 100);
    assertThatThrownBy(this::open).isInstanceOf(CorruptLog.class);
  }

  private static void writeSnapshot(MetadataRaftLog log, long endOffset, int epoch) {
    try (RawSnapshotWriter writer =
        log.createNewSnapshot(new OffsetAndEpoch(endOffset, epoch)).orElseThrow()) {
      writer.append(MemoryRecords.readableRecords(snapshot()));
      writer.freeze();
    }
  }

  private static ByteBuffer snapshot() {
    return MetadataBatches.bootstrapSnapshot(List.of(), QuorumMember.LISTENER, 1000);
  }

  private MetadataRaftLog withTenTopics() throws IOException {
    MetadataRaftLog log = open();
    for (int i = 0; i < 10; i++) {
      log.appendAsLeader(batch(i, 1, "t" + i), 1);
    }
    log.flush(false);
    commitAll(log);
    return log;
  }

  @Test
  void twoSnapshotsAreKeptAndTheLogFromTheOlderOneOn() throws IOException {
    MetadataRaftLog log = withTenTopics();
    assertThat(log.maybeClean()).isFalse();
    writeSnapshot(log, 4, 1);
    writeSnapshot(log, 6, 1);
    writeSnapshot(log, 8, 1);
    assertThat(log.maybeClean()).isTrue();
    assertThat(log.startOffset()).isEqualTo(6);
    assertThat(log.earliestSnapshotId()).contains(new OffsetAndEpoch(6, 1));
    assertThat(log.latestSnapshotId()).contains(new OffsetAndEpoch(8, 1));
    assertThat(log.readSnapshot(new OffsetAndEpoch(4, 1))).isEmpty();
    assertThat(log.validateOffsetAndEpoch(2, 1))
        .isEqualTo(ValidOffsetAndEpoch.snapshot(new OffsetAndEpoch(8, 1)));
    assertThat(log.validateOffsetAndEpoch(7, 1).kind()).isEqualTo(ValidOffsetAndEpoch.Kind.VALID);
    log.close();
    MetadataRaftLog again = open();
    assertThat(again.latestSnapshotId()).contains(new OffsetAndEpoch(8, 1));
    assertThat(topics(again)).contains("t9");
  }

  @Test
  void aSnapshotOfWhatIsNotCommittedOrAlreadyThereIsRefused() throws IOException {
    MetadataRaftLog log = withTenTopics();
    log.appendAsLeader(batch(10, 1, "open"), 1);
    assertThatThrownBy(() -> log.createNewSnapshot(new OffsetAndEpoch(11, 1)))
        .hasMessageContaining("not committed");
    writeSnapshot(log, 4, 1);
    assertThat(log.createNewSnapshot(new OffsetAndEpoch(4, 1))).isEmpty();
    try (RawSnapshotWriter dropped =
        log.createNewSnapshot(new OffsetAndEpoch(5, 1)).orElseThrow()) {
      dropped.append(MemoryRecords.readableRecords(snapshot()));
    }
    assertThat(folder().list()).noneMatch(name -> name.endsWith(".part"));
    assertThat(log.latestSnapshotId()).contains(new OffsetAndEpoch(4, 1));
  }

  @Test
  void aFetchedSnapshotComesInPiecesAndTheLogGoesOnFromItsEnd() throws IOException {
    MetadataRaftLog log = withTenTopics();
    fetchSnapshot(log);
    assertThat(log.truncateToLatestSnapshot()).isTrue();
    assertThat(log.startOffset()).isEqualTo(50);
    assertThat(log.endOffset().offset()).isEqualTo(50);
    assertThat(log.highWatermark().offset()).isEqualTo(50);
    assertThat(log.lastFetchedEpoch()).isEqualTo(3);
    assertThat(log.appendAsFollower(batch(50, 3, "next"), 3).lastOffset()).isEqualTo(50);
    log.close();
    assertThat(topics(open())).containsExactly("next");
  }

  private static void fetchSnapshot(MetadataRaftLog log) {
    ByteBuffer whole = snapshot();
    RawSnapshotWriter writer =
        log.createNewSnapshotUnchecked(new OffsetAndEpoch(50, 3)).orElseThrow();
    for (int at = 0; at < whole.limit(); at += 40) {
      assertThat(writer.sizeInBytes()).isEqualTo(at);
      writer.append(new UnalignedMemoryRecords(whole.slice(at, Math.min(40, whole.limit() - at))));
    }
    writer.freeze();
    Optional<RawSnapshotReader> stored = log.latestSnapshot();
    assertThat(stored.orElseThrow().sizeInBytes()).isEqualTo(whole.limit());
    assertThat(((UnalignedMemoryRecords) stored.orElseThrow().slice(40, 1 << 20)).buffer())
        .isEqualTo(whole.slice(40, whole.limit() - 40));
  }

  @Test
  void aStartAfterASnapshotWasFetchedAndNothingElseGoesOnFromIt() throws IOException {
    MetadataRaftLog log = withTenTopics();
    fetchSnapshot(log);
    disk.processKill();
    assertThat(open().endOffset().offset()).isEqualTo(50);
  }

  @Test
  void aFolderOfALoneVoterWithoutRaftIsTakenOverAsItIs() throws IOException {
    try (SingleVoterLog before =
        new SingleVoterLog(disk.root(), 1, QuorumMember.directoryId(1), clock)) {
      before.start(batch -> {});
      before.append(
          List.of(QuorumMember.record("a"), QuorumMember.record("b")),
          new MetadataLog.Completion() {
            @Override
            public void onCommitted(long lastOffset) {}

            @Override
            public void onFailed(Throwable cause) {
              throw new AssertionError(cause);
            }
          });
    }
    MetadataRaftLog log = open();
    assertThat(topics(log)).containsExactly("a", "b");
    assertThat(log.lastFetchedEpoch()).isEqualTo(1);
    assertThat(new ElectionStateStore(folder()).readElectionState())
        .hasValueSatisfying(
            state -> {
              assertThat(state.epoch()).isEqualTo(1);
              assertThat(state.leaderId()).isEqualTo(1);
            });
  }
}
