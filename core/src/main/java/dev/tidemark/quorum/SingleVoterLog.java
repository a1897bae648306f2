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
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
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

  private final Directory folder;
  private final int nodeId;
  private final Uuid directoryId;
  private final Clock clock;
  private @Nullable PartitionLog log;
  private @Nullable Listener listener;
  private @Nullable Throwable failure;
  private long failedAtMs;
  private long committedEndOffset;
  private int epoch;

  /** {@code dataFolder} is the one that holds the log's folder. */
  public SingleVoterLog(Directory dataFolder, int nodeId, Uuid directoryId, Clock clock) {
    this.folder = dataFolder.directory(LOG_ID.folderName());
    this.nodeId = nodeId;
    this.directoryId = directoryId;
    this.clock = clock;
  }

  @Override
  public void start(Listener hearer) throws IOException {
    if (log != null) {
      throw new IllegalStateException("The metadata log was started before");
    }
    folder.create();
    PartitionLog opened =
        PartitionLog.open(LOG_ID, folder, settings(), LogOpening.ofSyncedAppends(), clock);
    log = opened;
    listener = hearer;
    replay(opened, hearer);
    becomeLeader(opened);
  }

  /** Metadata is kept whole until there are snapshots to stand in for its beginning. */
  private static LogSettings settings() {
    return LogSettings.defaults()
        .withDelete(false)
        .withRetentionMs(-1)
        .withMaxMessageBytes(MetadataBatches.MAX_BYTES);
  }

  private static void replay(PartitionLog from, Listener to) throws IOException {
    long offset = from.logStartOffset();
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
      MetadataBatches.decode(from.folder().path(), bytes, to);
    }
  }

  private void becomeLeader(PartitionLog to) throws IOException {
    epoch = Math.max(QuorumStateFile.readEpoch(folder), Math.max(to.latestEpoch(), 0)) + 1;
    QuorumStateFile.write(folder, nodeId, epoch, directoryId);
    long nowMs = clock.wallMs();
    try {
      // Each append is synced before the next, as the opening of this log takes for granted.
      boolean first = to.logEndOffset() == 0;
      to.append(
          MetadataBatches.leaderChange(nodeId, to.logEndOffset(), epoch, nowMs),
          epoch,
          AppendOrigin.METADATA);
      to.flushAndWait();
      if (first) {
        to.append(
            MetadataBatches.kraftVersion(to.logEndOffset(), epoch, nowMs),
            epoch,
            AppendOrigin.METADATA);
        to.flushAndWait();
        to.append(
            MetadataBatches.voters(nodeId, directoryId, to.logEndOffset(), epoch, nowMs),
            epoch,
            AppendOrigin.METADATA);
        to.flushAndWait();
      }
    } catch (RefusedAppend e) {
      throw new IOException(to.folder().path() + " refused a control record: " + e.getMessage(), e);
    }
    committedEndOffset = to.logEndOffset();
  }

  /** The log to append to; opened again if it failed. */
  private PartitionLog writable(PartitionLog current) throws IOException {
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
      AppendResult result =
          to.append(
              MetadataBatches.encode(records, baseOffset, epoch, nowMs),
              epoch,
              AppendOrigin.METADATA);
      to.flushAndWait();
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

  private void failed(IOException cause) {
    if (failure == null) {
      failedAtMs = clock.monotonicMs();
    }
    failure = cause;
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
      current.close(failure == null);
    }
  }
}
