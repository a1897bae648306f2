package dev.tidemark.quorum;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.env.FileSlice;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.AppendResult;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogRead;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.raft.Isolation;
import org.apache.kafka.raft.LogAppendInfo;
import org.apache.kafka.raft.LogFetchInfo;
import org.apache.kafka.raft.LogOffsetMetadata;
import org.apache.kafka.raft.RaftLog;
import org.apache.kafka.raft.ValidOffsetAndEpoch;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.RawSnapshotReader;
import org.apache.kafka.snapshot.RawSnapshotWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where kafka-raft keeps its records: our own segment log and the snapshots beside it, in the files
 * of a KRaft voter. What a follower was given is synced before it is acknowledged, on observers
 * too. A failing disk makes every method throw {@link UncheckedIOException}; the log is of no use
 * then until it is opened again. Owned by the control shard; syncs block it.
 */
final class MetadataRaftLog implements RaftLog {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataRaftLog.class);

  /** The largest batch fits, and more than that is read in several steps. */
  private static final int MAX_READ_BYTES = MetadataBatches.MAX_BYTES;

  private final Directory folder;
  private final PartitionLog log;
  private final MetadataSnapshots files;
  private final NavigableSet<SnapshotId> snapshots;
  private final UnsyncedNote note;
  private final BatchHeader header = new BatchHeader();
  private long highWatermark;

  private MetadataRaftLog(
      Directory folder,
      PartitionLog log,
      MetadataSnapshots files,
      NavigableSet<SnapshotId> snapshots,
      UnsyncedNote note) {
    this.folder = folder;
    this.log = log;
    this.files = files;
    this.snapshots = snapshots;
    this.note = note;
    this.highWatermark = log.logStartOffset();
  }

  /** What a log that failed knew of itself, for {@link #reopen}. */
  record Remains(long recoveryPoint, long logStartOffset) {}

  /**
   * Opens the log in {@code folder}, or creates it. Blocks.
   *
   * @throws CorruptLog when what was synced before is damaged or missing
   */
  static MetadataRaftLog open(Directory folder, Clock clock) throws IOException {
    folder.create();
    UnsyncedNote note = new UnsyncedNote(folder);
    OptionalLong unsyncedFrom = note.read();
    LogOpening opening =
        unsyncedFrom.isPresent()
            ? LogOpening.afterFailure(unsyncedFrom.getAsLong(), 0)
            : CleanStopNote.opening(folder);
    return open(folder, note, opening, clock);
  }

  /** Opens a log again that failed in this run. */
  static MetadataRaftLog reopen(Directory folder, Remains left, Clock clock) throws IOException {
    LogOpening opening = LogOpening.afterFailure(left.recoveryPoint(), left.logStartOffset());
    return open(folder, new UnsyncedNote(folder), opening, clock);
  }

  private static MetadataRaftLog open(
      Directory folder, UnsyncedNote note, LogOpening opening, Clock clock) throws IOException {
    PartitionLog log = PartitionLog.open(SingleVoterLog.LOG_ID, folder, settings(), opening, clock);
    try {
      log.flushAndWait(); // what a killed process had in the page cache counts from here on
      folder.sync(); // and so does the vote it had just cast
      note.delete();
      CleanStopNote.delete(folder);
      MetadataSnapshots files = new MetadataSnapshots(folder);
      NavigableSet<SnapshotId> snapshots = files.listWhole();
      if (log.logStartOffset() > 0
          && (snapshots.isEmpty() || snapshots.last().endOffset() < log.logStartOffset())) {
        throw new CorruptLog(
            "%s begins at offset %d, and no snapshot there holds what was before: restore the folder from a copy"
                .formatted(folder.path(), log.logStartOffset()));
      }
      MetadataRaftLog opened = new MetadataRaftLog(folder, log, files, snapshots, note);
      if (opened.truncateToLatestSnapshot()) {
        LOG.info("{} goes on from {}", folder.path(), snapshots.last().fileName());
      }
      return opened;
    } catch (IOException | RuntimeException e) {
      log.close(false);
      throw e;
    }
  }

  /** Nothing goes by its age or size, only what a snapshot stands in for. */
  private static LogSettings settings() {
    return LogSettings.defaults()
        .withDelete(false)
        .withRetentionMs(-1)
        .withMaxMessageBytes(MetadataBatches.MAX_BYTES);
  }

  Remains remains() {
    return new Remains(log.recoveryPoint(), log.logStartOffset());
  }

  @Override
  public TopicPartition topicPartition() {
    return new TopicPartition(SingleVoterLog.LOG_ID.topic(), SingleVoterLog.LOG_ID.partition());
  }

  @Override
  public Uuid topicId() {
    return SingleVoterLog.LOG_ID.topicId();
  }

  // --- appending ---

  @Override
  public LogAppendInfo appendAsLeader(Records records, int epoch) {
    ByteBuffer batches = bytes(records);
    header.wrap(batches, batches.position());
    if (header.baseOffset() != log.logEndOffset()) {
      throw new IllegalStateException(
          "Raft appends at offset %d to a log that ends at %d"
              .formatted(header.baseOffset(), log.logEndOffset()));
    }
    ControlBatches.settle(batches);
    try {
      flushIfNeeded(); // so that a loss of power never tears more than one batch
      AppendResult result = log.append(batches, epoch, AppendOrigin.METADATA);
      return new LogAppendInfo(result.baseOffset(), result.lastOffset());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RefusedAppend e) {
      throw refused(e);
    }
  }

  private static ByteBuffer bytes(Records records) {
    ByteBuffer bytes = ((MemoryRecords) records).buffer();
    if (!bytes.hasRemaining()) {
      throw new IllegalArgumentException("There are no records to append");
    }
    return bytes;
  }

  private UncheckedIOException refused(RefusedAppend cause) {
    return new UncheckedIOException(
        new IOException(
            folder.path() + " refused records of the quorum: " + cause.getMessage(), cause));
  }

  /** Throws {@link CorruptRecordException} for what is to be fetched once more. */
  @Override
  public LogAppendInfo appendAsFollower(Records records, int epoch) {
    ByteBuffer batches = bytes(records);
    int count = limitToEpoch(batches, epoch);
    try {
      if (count == 1) {
        note.delete();
      } else if (count > 1) {
        note.write(log.logEndOffset());
      }
      AppendResult result = log.appendReplicated(batches);
      log.flushAndWait();
      if (result.baseOffset() < 0) {
        throw new CorruptRecordException("The leader sent no whole batch of epoch " + epoch);
      }
      return new LogAppendInfo(result.baseOffset(), result.lastOffset());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RefusedAppend e) {
      if (e.error() == Errors.KAFKA_STORAGE_ERROR || e.error() == Errors.NOT_LEADER_OR_FOLLOWER) {
        throw refused(e);
      }
      throw new CorruptRecordException(e.getMessage());
    }
  }

  /**
   * Leaves out what is of a later epoch than the leader's, and so not the leader's to give, with
   * all behind it. Returns how many batches are left.
   */
  private int limitToEpoch(ByteBuffer batches, int epoch) {
    int at = batches.position();
    int count = 0;
    long next = log.logEndOffset();
    while (batches.limit() - at >= BatchHeader.SIZE) {
      header.wrap(batches, at);
      if (header.baseOffset() != next) {
        throw new CorruptRecordException(
            "The leader sent a batch at offset %d where %d is due"
                .formatted(header.baseOffset(), next));
      }
      if (header.leaderEpoch() > epoch) {
        batches.limit(at);
        break;
      }
      long size = header.sizeInBytes();
      if (size < BatchHeader.SIZE || size > batches.limit() - at) {
        break;
      }
      next = header.lastOffset() + 1;
      at += (int) size;
      count++;
    }
    return count;
  }

  @Override
  public void initializeLeaderEpoch(int epoch) {
    log.assignEpochStart(epoch);
  }

  @Override
  public void flush(boolean unused) {
    try {
      flushIfNeeded();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void flushIfNeeded() throws IOException {
    if (log.syncedEndOffset() < log.logEndOffset()) {
      log.flushAndWait();
    }
  }

  // --- reading ---

  @Override
  public LogFetchInfo read(long startOffset, Isolation isolation, int maxBytes) {
    long end = isolation == Isolation.COMMITTED ? highWatermark : log.logEndOffset();
    try {
      LogRead read = log.read(startOffset, Math.min(maxBytes, MAX_READ_BYTES), true, end);
      FileSlice slice = read.slice();
      MemoryRecords records =
          slice == null
              ? MemoryRecords.EMPTY
              : MemoryRecords.readableRecords(MetadataBatches.copy(slice));
      return new LogFetchInfo(records, new LogOffsetMetadata(startOffset));
    } catch (OffsetOutOfRange e) {
      throw new OffsetOutOfRangeException(e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public LogOffsetMetadata endOffset() {
    return new LogOffsetMetadata(log.logEndOffset());
  }

  @Override
  public long startOffset() {
    return log.logStartOffset();
  }

  @Override
  public int lastFetchedEpoch() {
    int latest = log.latestEpoch();
    return latest >= 0 ? latest : latestSnapshotId().map(OffsetAndEpoch::epoch).orElse(0);
  }

  @Override
  public OffsetAndEpoch endOffsetForEpoch(int epoch) {
    EpochEnd end = log.endOffsetForEpoch(epoch);
    if (end.isUndefined()) {
      return new OffsetAndEpoch(log.logEndOffset(), lastFetchedEpoch());
    }
    // Below the earliest snapshot the log knows no epochs, but that snapshot knows its own.
    if (end.epoch() == epoch
        && !snapshots.isEmpty()
        && snapshots.first().endOffset() == end.endOffsetExclusive()) {
      return snapshots.first().asOffsetAndEpoch();
    }
    return new OffsetAndEpoch(end.endOffsetExclusive(), end.epoch());
  }

  @Override
  public LogOffsetMetadata highWatermark() {
    return new LogOffsetMetadata(highWatermark);
  }

  @Override
  public void updateHighWatermark(LogOffsetMetadata reached) {
    if (reached.offset() > log.logEndOffset()) {
      throw new IllegalArgumentException(
          "The high watermark %d lies above the end of %s, %d"
              .formatted(reached.offset(), folder.path(), log.logEndOffset()));
    }
    highWatermark = Math.max(reached.offset(), log.logStartOffset());
  }

  // --- truncation ---

  @Override
  public void truncateTo(long offset) {
    if (offset < highWatermark) {
      throw new IllegalArgumentException(
          "%s is to be cut at offset %d, but all below %d is committed"
              .formatted(folder.path(), offset, highWatermark));
    }
    try {
      log.truncateTo(offset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins anew at the end of the newest snapshot, if that is ahead of the log. */
  @Override
  public boolean truncateToLatestSnapshot() {
    if (snapshots.isEmpty()) {
      return false;
    }
    SnapshotId latest = snapshots.last();
    int epoch = Math.max(log.latestEpoch(), 0);
    boolean isAhead =
        latest.epoch() > epoch
            || (latest.epoch() == epoch && latest.endOffset() > log.logEndOffset());
    if (!isAhead) {
      return false;
    }
    try {
      log.truncateFullyAndStartAt(latest.endOffset());
      highWatermark = latest.endOffset();
      deleteSnapshotsBelow(latest);
      deleteFiles();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return true;
  }

  private void deleteSnapshotsBelow(SnapshotId kept) throws IOException {
    for (SnapshotId old : List.copyOf(snapshots.headSet(kept))) {
      snapshots.remove(old);
      files.delete(old);
    }
  }

  @Override
  public boolean deleteBeforeSnapshot(OffsetAndEpoch id) {
    SnapshotId kept = SnapshotId.of(id);
    if (!snapshots.contains(kept)
        || kept.endOffset() <= log.logStartOffset()
        || kept.endOffset() > highWatermark) {
      return false;
    }
    try {
      log.roll(); // segments go as a whole
      log.flushAndWait();
      deleteSnapshotsBelow(kept);
      log.advanceLogStartOffset(kept.endOffset(), highWatermark);
      int unused = log.deleteOldSegments(highWatermark);
      deleteFiles();
    } catch (OffsetOutOfRange e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return true;
  }

  private void deleteFiles() throws IOException {
    for (String name : log.takeFilesToDelete()) {
      folder.delete(name);
    }
    folder.sync();
  }

  /** Keeps two snapshots and the log from the older one on: should the newest rot, it is enough. */
  @Override
  public boolean maybeClean() {
    if (snapshots.size() <= 1) {
      return false;
    }
    SnapshotId oldestKept = snapshots.last();
    for (int i = 1; i < MetadataSnapshots.KEPT; i++) {
      SnapshotId lower = snapshots.lower(oldestKept);
      oldestKept = lower == null ? oldestKept : lower;
    }
    return deleteBeforeSnapshot(oldestKept.asOffsetAndEpoch());
  }

  // --- snapshots ---

  @Override
  public Optional<RawSnapshotWriter> createNewSnapshot(OffsetAndEpoch id) {
    if (id.offset() < log.logStartOffset()) {
      return Optional.empty();
    }
    if (id.offset() > highWatermark) {
      throw new IllegalArgumentException(
          "A snapshot at %s would hold what is not committed; the high watermark is %d"
              .formatted(id, highWatermark));
    }
    ValidOffsetAndEpoch valid = validateOffsetAndEpoch(id.offset(), id.epoch());
    if (valid.kind() != ValidOffsetAndEpoch.Kind.VALID) {
      throw new IllegalArgumentException(
          "A snapshot at %s contradicts the log: %s".formatted(id, valid));
    }
    return createNewSnapshotUnchecked(id);
  }

  @Override
  public Optional<RawSnapshotWriter> createNewSnapshotUnchecked(OffsetAndEpoch id) {
    SnapshotId wanted = SnapshotId.of(id);
    if (snapshots.contains(wanted)) {
      return Optional.empty();
    }
    try {
      return Optional.of(new RawSnapshotFile(folder, wanted, snapshots::add));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Optional<RawSnapshotReader> readSnapshot(OffsetAndEpoch id) {
    SnapshotId wanted = SnapshotId.of(id);
    if (!snapshots.contains(wanted)) {
      return Optional.empty();
    }
    try {
      return Optional.of(new StoredSnapshot(folder, wanted));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Optional<RawSnapshotReader> latestSnapshot() {
    return latestSnapshotId().flatMap(this::readSnapshot);
  }

  @Override
  public Optional<OffsetAndEpoch> latestSnapshotId() {
    return snapshots.isEmpty()
        ? Optional.empty()
        : Optional.of(snapshots.last().asOffsetAndEpoch());
  }

  @Override
  public Optional<OffsetAndEpoch> earliestSnapshotId() {
    return snapshots.isEmpty()
        ? Optional.empty()
        : Optional.of(snapshots.first().asOffsetAndEpoch());
  }

  @Override
  public void onSnapshotFrozen(OffsetAndEpoch id) {
    snapshots.add(SnapshotId.of(id));
  }

  // --- the end ---

  /** {@code clean}: all is synced, so that the next opening finds it as it is. */
  void close(boolean clean) throws IOException {
    CleanStopNote.close(log, clean && log.failure() == null);
  }

  @Override
  public void close() {
    try {
      close(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
