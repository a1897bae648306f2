package dev.tidemark.quorum;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.AppendResult;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.writer.ImageWriter;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata log of a cluster with one voter: what it wrote and synced is committed. The files
 * are those of a KRaft voter, so that a quorum can take them over and Kafka's tools read them: each
 * start takes a new epoch, keeps it in {@code quorum-state} and begins with a leader-change record.
 *
 * <p>After a failed write the next append opens the log again: what was written and not committed
 * is cut, and a new epoch begins.
 */
public final class SingleVoterLog implements MetadataLog {
  private static final Logger LOG = LoggerFactory.getLogger(SingleVoterLog.class);

  /** The log's partition. */
  public static final LogId LOG_ID = new LogId("__cluster_metadata", 0, Uuid.METADATA_TOPIC_ID);

  private static final int READ_BYTES = 1 << 20;

  /** Opening reads the whole log, so a failing disk is not asked more often. */
  private static final long REOPEN_PAUSE_MS = 1000;

  /** Between attempts at a snapshot: a disk that fails is not tried with each commit. */
  private static final long SNAPSHOT_PAUSE_MS = 10_000;

  private static final long NEVER = -1;

  private final Directory folder;
  private final int nodeId;
  private final Uuid directoryId;
  private final Clock clock;
  private final SnapshotSettings snapshotSettings;
  private final MetadataSnapshots snapshots;
  private @Nullable PartitionLog log;
  private @Nullable Listener listener;
  private @Nullable Throwable failure;
  private long failedAtMs;
  private long committedEndOffset;
  private int epoch;
  private @Nullable List<Integer> voters;
  private long bytesSinceSnapshot;
  private long sinceMs = NEVER;
  private long lastAppendMs;
  private long nextSnapshotTryMs = Long.MIN_VALUE;

  /** {@code dataFolder} is the one that holds the log's folder. */
  public SingleVoterLog(Directory dataFolder, int nodeId, Uuid directoryId, Clock clock) {
    this(dataFolder, nodeId, directoryId, clock, SnapshotSettings.DEFAULTS);
  }

  public SingleVoterLog(
      Directory dataFolder,
      int nodeId,
      Uuid directoryId,
      Clock clock,
      SnapshotSettings snapshotSettings) {
    this.folder = dataFolder.directory(LOG_ID.folderName());
    this.nodeId = nodeId;
    this.directoryId = directoryId;
    this.clock = clock;
    this.snapshotSettings = snapshotSettings;
    this.snapshots = new MetadataSnapshots(folder);
  }

  @Override
  public void start(Listener hearer) throws IOException {
    if (log != null) {
      throw new IllegalStateException("The metadata log was started before");
    }
    folder.create();
    PartitionLog opened =
        PartitionLog.open(LOG_ID, folder, settings(), CleanStopNote.opening(folder), clock);
    log = opened;
    listener = hearer;
    replay(opened, hearer);
    requireAlone();
    CleanStopNote.delete(folder);
    becomeLeader(opened);
    hearer.onLeaderChange(new Leadership(nodeId, epoch, true));
  }

  /** Nothing goes by its age or size, only what a snapshot stands in for. */
  private static LogSettings settings() {
    return LogSettings.defaults()
        .withDelete(false)
        .withRetentionMs(-1)
        .withMaxMessageBytes(MetadataBatches.MAX_BYTES);
  }

  private void replay(PartitionLog from, Listener to) throws IOException {
    long offset = deliverSnapshot(from, to);
    Listener listening =
        batch -> {
          noteAppended(batch.appendTimeMs());
          to.onCommit(batch);
        };
    while (offset < from.logEndOffset()) {
      ByteBuffer bytes;
      try {
        var read = from.read(offset, READ_BYTES, true, from.logEndOffset());
        if (read.slice() == null) {
          throw new IOException(
              "%s: nothing can be read at offset %d, but the log ends at %d"
                  .formatted(from.folder().path(), offset, from.logEndOffset()));
        }
        bytes = MetadataBatches.copy(read.slice());
        offset = read.nextOffset();
      } catch (OffsetOutOfRange e) {
        throw new IOException(e);
      }
      bytesSinceSnapshot += bytes.remaining();
      noteVoters(MetadataBatches.decode(from.folder().path(), bytes, listening));
    }
  }

  private void noteVoters(@Nullable List<Integer> named) {
    voters = named == null ? voters : named;
  }

  /** Whoever led the others' log alone would lose what they have decided without it. */
  private void requireAlone() throws IOException {
    List<Integer> named = voters;
    if (named != null && !named.equals(List.of(nodeId))) {
      throw new IOException(
          "%s belongs to a quorum of nodes %s, and node %d has no controller listener: set controller.listener.names and its listener as they were"
              .formatted(folder.path(), named, nodeId));
    }
  }

  /** Returns the offset from which on the log is to be read. */
  private long deliverSnapshot(PartitionLog from, Listener to) throws IOException {
    MetadataSnapshots.Loaded snapshot = snapshots.load(from.logStartOffset());
    if (snapshot == null) {
      if (from.logStartOffset() > 0) {
        throw new CorruptLog(
            "%s begins at offset %d, and no snapshot there holds what was before: restore the folder from a copy"
                .formatted(folder.path(), from.logStartOffset()));
      }
      return 0;
    }
    SnapshotId id = snapshot.id();
    if (id.endOffset() > from.logEndOffset()) {
      throw new CorruptLog(
          "%s ends at offset %d, below its snapshot %s: restore the folder from a copy"
              .formatted(folder.path(), from.logEndOffset(), id.fileName()));
    }
    noteVoters(snapshot.content().voters());
    sinceMs = clock.wallMs();
    List<ApiMessageAndVersion> records = snapshot.content().records();
    if (!records.isEmpty()) {
      to.onSnapshot(new MetadataBatch(0, id.endOffset() - 1, id.epoch(), sinceMs, records));
    }
    return id.endOffset();
  }

  private void noteAppended(long appendTimeMs) {
    lastAppendMs = appendTimeMs;
    sinceMs = sinceMs == NEVER ? appendTimeMs : sinceMs;
  }

  private void becomeLeader(PartitionLog to) throws IOException {
    epoch = Math.max(QuorumStateFile.readEpoch(folder), Math.max(to.latestEpoch(), 0)) + 1;
    QuorumStateFile.write(folder, new QuorumStateFile.Content(nodeId, epoch, nodeId, directoryId));
    long nowMs = clock.wallMs();
    try {
      // What an interrupted first start left out comes with the next; all of it in one batch.
      ByteBuffer change =
          MetadataBatches.leaderChange(
              nodeId, voters == null ? directoryId : null, to.logEndOffset(), epoch, nowMs);
      bytesSinceSnapshot += change.remaining();
      to.append(change, epoch, AppendOrigin.METADATA);
      to.flushAndWait();
      voters = List.of(nodeId);
      noteAppended(nowMs);
    } catch (RefusedAppend e) {
      throw new IOException(to.folder().path() + " refused a control record: " + e.getMessage(), e);
    }
    committedEndOffset = to.logEndOffset();
  }

  /** The log to append to; opened again if it failed. */
  private PartitionLog writable(PartitionLog current) throws IOException {
    noteFailure(current);
    Throwable before = failure;
    if (before == null) {
      return current;
    }
    if (clock.monotonicMs() - failedAtMs < REOPEN_PAUSE_MS) {
      throw new IOException("the metadata log failed a moment ago: " + before.getMessage(), before);
    }
    failedAtMs = clock.monotonicMs();
    current.close(false);
    PartitionLog opened =
        PartitionLog.open(LOG_ID, folder, settings(), LogOpening.ofSyncedAppends(), clock);
    log = opened;
    if (opened.logEndOffset() < committedEndOffset) {
      throw new CorruptLog(
          "%s ends at offset %d though it was synced up to %d: restore it from a copy and restart the broker"
              .formatted(folder.path(), opened.logEndOffset(), committedEndOffset));
    }
    opened.truncateTo(committedEndOffset);
    becomeLeader(opened);
    failure = null;
    LOG.warn("The metadata log takes writes again, in epoch {}", epoch);
    return opened;
  }

  @Override
  public void append(List<ApiMessageAndVersion> records, Completion completion) {
    PartitionLog to = log;
    Listener hearer = listener;
    if (to == null || hearer == null) {
      throw new IllegalStateException("The metadata log is not started");
    }
    MetadataBatch batch;
    try {
      to = writable(to);
      long nowMs = clock.wallMs();
      long baseOffset = to.logEndOffset();
      ByteBuffer encoded = MetadataBatches.encode(records, baseOffset, epoch, nowMs);
      int bytes = encoded.remaining();
      AppendResult result = to.append(encoded, epoch, AppendOrigin.METADATA);
      to.flushAndWait();
      bytesSinceSnapshot += bytes;
      noteAppended(nowMs);
      committedEndOffset = to.logEndOffset();
      batch = new MetadataBatch(result.baseOffset(), result.lastOffset(), epoch, nowMs, records);
    } catch (RefusedAppend e) {
      completion.onFailed(new IOException("Metadata records were refused: " + e.getMessage(), e));
      return;
    } catch (IOException e) {
      failed(e); // what reached the disk is unknown, so nothing may follow it
      completion.onFailed(e);
      return;
    }
    hearer.onCommit(batch);
    completion.onCommitted(batch.lastOffset());
  }

  /** A snapshot may have failed the log, which takes nothing more then until it is opened again. */
  private void noteFailure(PartitionLog current) {
    String why = current.failure();
    if (failure == null && why != null) {
      failed(new IOException(why));
    }
  }

  private void failed(IOException cause) {
    if (failure == null) {
      failedAtMs = clock.monotonicMs();
    }
    failure = cause;
  }

  @Override
  public boolean isSnapshotDue() {
    if (failure != null || clock.monotonicMs() < nextSnapshotTryMs) {
      return false;
    }
    long intervalMs = snapshotSettings.maxIntervalMs();
    return bytesSinceSnapshot >= snapshotSettings.maxBytes()
        || (intervalMs > 0 && bytesSinceSnapshot > 0 && clock.wallMs() - sinceMs >= intervalMs);
  }

  @Override
  public void takeSnapshot(Consumer<ImageWriter> content) throws IOException {
    PartitionLog current = log;
    if (current == null) {
      throw new IllegalStateException("The metadata log is not started");
    }
    nextSnapshotTryMs = clock.monotonicMs() + SNAPSHOT_PAUSE_MS;
    long endOffset = current.logEndOffset();
    SnapshotId id = new SnapshotId(endOffset, current.epochForOffset(endOffset - 1));
    try (SnapshotFile file =
        new SnapshotFile(folder, id, nodeId, directoryId, lastAppendMs, clock.wallMs())) {
      content.accept(file);
      file.close(true); // Kafka's images have closed it
    } catch (UncheckedIOException e) {
      throw e.getCause() == null ? new IOException(e) : e.getCause();
    }
    bytesSinceSnapshot = 0;
    sinceMs = clock.wallMs();
    LOG.info("Wrote {} of the metadata log", id.fileName());
    try {
      shorten(current);
    } finally {
      noteFailure(current);
    }
  }

  /** Ends the segment, so that it can go as a whole, and deletes what two snapshots stand for. */
  private void shorten(PartitionLog current) throws IOException {
    current.roll();
    current.flushAndWait();
    long needless = snapshots.deleteOld();
    if (needless > current.logStartOffset()) {
      try {
        current.advanceLogStartOffset(needless, current.logEndOffset());
      } catch (OffsetOutOfRange e) {
        throw new IOException(e);
      }
    }
    int unused = current.deleteOldSegments(current.logEndOffset());
    for (String name : current.takeFilesToDelete()) {
      folder.delete(name);
    }
    folder.sync();
  }

  @Override
  public QuorumState state() {
    PartitionLog current = log;
    long end = current == null ? 0 : current.logEndOffset();
    return new QuorumState(nodeId, epoch, directoryId, end, end);
  }

  @Override
  public void close() throws IOException {
    PartitionLog current = log;
    log = null;
    if (current != null) {
      noteFailure(current);
      boolean whole = failure == null && current.failure() == null;
      if (whole && epoch > 0 && current.logEndOffset() == committedEndOffset) {
        CleanStopNote.close(current, true);
      } else {
        current.close(whole); // the start had failed, or nobody was told what it holds
      }
    }
  }
}
