package dev.tidemark.log;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.protocol.InflationBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The log of one partition: record batches in ascending offsets, on disk in Apache Kafka's layout.
 * Owned by one shard; only {@link #open} and the work of a {@link FlushTask} may run elsewhere.
 * Offsets named end are exclusive. After a write or a sync failed the log refuses appends until it
 * is opened again ({@link LogOpening#afterFailure}), because nobody knows what the disk holds;
 * reads go on.
 */
public final class PartitionLog implements AutoCloseable {
  private final LogState state;
  private final LogReader reader;
  private final Truncation truncation;
  private final Retention retention;
  private final LogUse use;
  private @Nullable LogAppender appender;
  private @Nullable String failure;
  private boolean damaged;
  private @Nullable FailureListener failureListener;
  private @Nullable LogFaults faults;
  private boolean closed;

  private PartitionLog(LogState state) {
    this.state = state;
    state.cleanEnd.begin(state.logEndOffset);
    this.reader = new LogReader(state);
    this.truncation = new Truncation(state);
    this.retention = new Retention(state);
    this.use = new LogUse(this, state, retention);
  }

  /**
   * Opens the log in {@code folder}, or creates it. Blocks: after an unclean stop for as long as it
   * takes to read what lies above the recovery point. May run on a background thread.
   *
   * @throws CorruptLog when bytes that were synced before are damaged
   * @throws IOException also when the folder belongs to another topic id
   */
  public static PartitionLog open(
      LogId id, Directory folder, LogSettings settings, LogOpening opening, Clock clock)
      throws IOException {
    return new PartitionLog(LogRecovery.open(id, folder, settings, opening, clock));
  }

  /**
   * Makes a log of what is known of it. No file is touched before the log is used; if it finds them
   * changed then, that use fails.
   *
   * @param cleanStop true when the summary was made after everything was synced
   * @throws CorruptLog when the summary contradicts itself
   */
  public static PartitionLog resume(
      LogId id,
      Directory folder,
      LogSettings settings,
      LogSummary left,
      boolean cleanStop,
      Clock clock)
      throws CorruptLog {
    return new PartitionLog(LogResumption.resume(id, folder, settings, left, cleanStop, clock));
  }

  /** What {@link #resume} needs; null when the log must be opened by its files next time. */
  public @Nullable LogSummary summary() {
    return failure == null ? LogSummary.of(state) : null;
  }

  public LogId id() {
    return state.id;
  }

  public Directory folder() {
    return state.folder;
  }

  public LogSettings settings() {
    return state.settings;
  }

  /** Takes effect with the next call. */
  public void updateSettings(LogSettings settings) {
    state.settings = settings;
    appender = null; // it holds what it derived from them
    use.touch();
  }

  // --- appending ---

  /**
   * Appends what a Produce request or a coordinator hands over, from position to limit. Offsets and
   * leader epoch are set in place, so the buffer must be writable; its bounds are kept. Not synced.
   * Of a batch that was appended before, the first offsets come back and nothing is written.
   *
   * @throws RefusedAppend when the records break a rule; nothing was written
   * @throws IOException when the disk fails; the log takes no more appends then
   */
  public AppendResult append(ByteBuffer records, int leaderEpoch, AppendOrigin origin)
      throws RefusedAppend, IOException {
    requireWritable();
    try {
      return appender().append(records, leaderEpoch, origin);
    } catch (IOException e) {
      throw failed("append", e);
    }
  }

  /** A batch of a client, from position to limit, to be checked and then appended. */
  public ClientBatch clientBatch(ByteBuffer records) {
    return appender().clientBatch(records);
  }

  /**
   * Checks {@code batch} if that is little work within {@code budget}.
   *
   * @return false when it is more; the batch is then to be checked by itself, in the background
   * @throws RefusedAppend when it breaks a rule
   */
  public boolean checkIfSmall(ClientBatch batch, InflationBudget budget) throws RefusedAppend {
    return appender().checkIfSmall(batch, budget);
  }

  /** Appends a batch that was checked, as {@link #append(ByteBuffer, int, AppendOrigin)} does. */
  public AppendResult append(ClientBatch checked, int leaderEpoch)
      throws RefusedAppend, IOException {
    requireWritable();
    try {
      return appender().append(checked, leaderEpoch);
    } catch (IOException e) {
      throw failed("append", e);
    }
  }

  /**
   * Appends batches with the offsets and epochs that the leader gave them. They must begin at the
   * log end offset or above it; only an empty log also takes a batch that begins below and holds
   * it, because log start offsets need not be batch bounds (KAFKA-6975). A batch cut off at the end
   * is left out; the result's offsets are -1 when there was no whole one.
   */
  public AppendResult appendReplicated(ByteBuffer records) throws RefusedAppend, IOException {
    requireWritable();
    try {
      return appender().appendReplicated(records);
    } catch (IOException e) {
      throw failed("append", e);
    }
  }

  private LogAppender appender() {
    if (appender == null) {
      appender = new LogAppender(state, truncation);
    }
    return appender;
  }

  private void requireWritable() throws RefusedAppend {
    use.touch();
    if (closed) {
      throw new RefusedAppend(Errors.NOT_LEADER_OR_FOLLOWER, "The log " + id() + " is closed.");
    }
    if (failure != null) {
      throw new RefusedAppend(
          Errors.KAFKA_STORAGE_ERROR,
          damaged
              ? "The log %s takes no appends since its files are damaged: %s."
                  .formatted(id(), failure)
              : "The log %s takes no appends since its disk failed: %s. Free some space or repair the disk; the log is then opened again without a restart."
                  .formatted(id(), failure));
    }
  }

  private void requireOpen() throws IOException {
    use.touch();
    if (closed) {
      throw new IOException("The log " + id() + " is closed");
    }
  }

  IOException failed(String what, IOException cause) {
    damaged |= failure == null && cause instanceof CorruptLog;
    fail(what + " failed, " + cause.getMessage());
    return cause;
  }

  private void fail(String why) {
    if (failure != null || closed) {
      return;
    }
    failure = why;
    if (failureListener != null) {
      failureListener.onFailed(this);
    }
  }

  /** Whom to tell, once, when this log takes no more appends. */
  public void onFailure(FailureListener listener) {
    failureListener = listener;
  }

  /** Hears of a log that failed. */
  public interface FailureListener {
    /** Called within the call of the log that failed: nothing may be done to the log here. */
    void onFailed(PartitionLog log);

    /** A read failed, each time; the log goes on. As {@link #onFailed}. */
    void onReadFailed(PartitionLog log);
  }

  /** True when it failed because its files are not as it left them. */
  public boolean isDamaged() {
    return damaged;
  }

  /** Where it is told what fails of what clients ask of this log. */
  public LogFaults faults() {
    LogFaults known = faults;
    if (known == null) {
      known = new LogFaults(state);
      faults = known;
    }
    return known;
  }

  /** Why the log refuses appends, or null when it does not. */
  public @Nullable String failure() {
    return failure;
  }

  // --- reading ---

  /**
   * Finds whole batches from the one that holds or follows {@code startOffset} on.
   *
   * @param maxBytes the bound for the result
   * @param atLeastOneBatch true when the first batch counts even if it is larger than the bound
   * @param endOffsetExclusive batches that reach it or lie above it are left out
   */
  public LogRead read(
      long startOffset, int maxBytes, boolean atLeastOneBatch, long endOffsetExclusive)
      throws OffsetOutOfRange, IOException {
    requireOpen();
    try {
      return reader.read(startOffset, maxBytes, atLeastOneBatch, endOffsetExclusive);
    } catch (IOException e) {
      if (failureListener != null && !(e instanceof CorruptLog)) {
        failureListener.onReadFailed(this);
      }
      throw e;
    }
  }

  /** Bytes of the batches between two batch bounds, without those that were deleted. */
  public long bytesBetween(long startOffset, long endOffsetExclusive) throws IOException {
    requireOpen();
    return reader.bytesBelow(endOffsetExclusive) - reader.bytesBelow(startOffset);
  }

  /** The aborted transactions that touch the range, by first offset. */
  public List<AbortedTxn> abortedTransactions(long startOffset, long endOffsetExclusive)
      throws IOException {
    requireOpen();
    return reader.abortedTransactions(startOffset, endOffsetExclusive);
  }

  /** The first offset that a reader of committed records must not see; at most the watermark. */
  public long lastStableOffset(long highWatermark) {
    return Math.max(
        Math.min(state.logStartOffset, highWatermark),
        state.producers.lastStableOffset(highWatermark));
  }

  /** The first record at or after a time, below the end offset; null without one. */
  public @Nullable TimestampedOffset offsetForTimestamp(long timestampMs, long endOffsetExclusive)
      throws IOException {
    requireOpen();
    return reader.offsetForTimestamp(timestampMs, endOffsetExclusive);
  }

  /** The first of the newest records below the end offset (KIP-734); null without one. */
  public @Nullable TimestampedOffset maxTimestamp(long endOffsetExclusive) throws IOException {
    requireOpen();
    return reader.maxTimestamp(endOffsetExclusive);
  }

  public long logStartOffset() {
    return state.logStartOffset;
  }

  public long logEndOffset() {
    return state.logEndOffset;
  }

  public long sizeInBytes() {
    return state.segments.sizeInBytes();
  }

  public int segmentCount() {
    return state.segments.count();
  }

  // --- epochs ---

  /** The latest leader epoch, -1 without one. */
  public int latestEpoch() {
    return state.epochs.latest();
  }

  /** Where a leader epoch ends; see {@link EpochEnd}. */
  public EpochEnd endOffsetForEpoch(int epoch) {
    return state.epochs.endOffsetFor(epoch, state.logEndOffset);
  }

  /** The leader epoch of the record at {@code offset}, -1 when not known. */
  public int epochForOffset(long offset) {
    return state.epochs.epochForOffset(offset);
  }

  /** All known epochs, ascending. */
  public List<EpochStart> epochStarts() {
    return state.epochs.starts();
  }

  /**
   * Notes at an election that {@code epoch} begins at the log end offset (KAFKA-7415), also when no
   * record follows. Written with the flush of its first records.
   */
  public void assignEpochStart(int epoch) {
    state.epochs.assignAtEnd(epoch, state.logEndOffset);
  }

  // --- syncing ---

  /** Everything below it survives a power loss. */
  public long syncedEndOffset() {
    return state.flushes.syncedEndOffset();
  }

  /**
   * From where on an opening after an unclean stop must read; what the broker keeps in
   * recovery-point-offset-checkpoint. At most the synced end, and often one less.
   */
  public long recoveryPoint() {
    return state.flushes.recoveryPoint();
  }

  /** True when flush.messages or flush.ms ask for a sync, or a rolled segment is not synced. */
  public boolean needsFlush() {
    return state.flushes.isDue(state.settings, state.clock.monotonicMs());
  }

  /** True while a sync that began is not done; starting another one then seldom helps. */
  public boolean isFlushing() {
    return state.flushes.isUnderWay();
  }

  /**
   * Prepares a sync of all that was appended so far. It must be run and its end be told, unless it
   * is empty.
   */
  public FlushTask flush() throws IOException {
    try {
      LogFlush flush = state.flushes.prepare();
      if (flush.isEmpty()) {
        state.flushes.finish(flush, null);
      }
      return new FlushTask(this, flush);
    } catch (IOException e) {
      throw failed("flush", e);
    } finally {
      use.noteFiles();
    }
  }

  /** Syncs here and now; blocks. */
  public void flushAndWait() throws IOException {
    FlushTask task = flush();
    try {
      task.run();
    } catch (IOException e) {
      task.onDone(null, e);
      throw e;
    }
    task.onDone(true, null);
  }

  /**
   * As {@link #flushAndWait}, for what another process wrote, which may have died of a failed sync:
   * all that is not synced is written once more before. Blocks.
   */
  public void rewriteAndWait() throws IOException {
    UnsyncedRewrite.run(state);
    flushAndWait();
  }

  void flushDone(LogFlush flush, @Nullable Throwable syncFailure) {
    if (flush.isDone()) {
      return;
    }
    try {
      if (!state.flushes.finish(flush, syncFailure) && syncFailure != null) {
        fail("a sync failed, " + syncFailure.getMessage());
      }
    } catch (IOException e) {
      fail("closing a file failed, " + e.getMessage());
    }
  }

  // --- compaction ---

  /**
   * What compaction would find, from {@code firstDirtyOffset} on, which counts only if it lies in
   * this log; null when there is nothing to do.
   */
  public @Nullable DirtySection dirtySection(long firstDirtyOffset, long highWatermark)
      throws IOException {
    if (isClosedOrFailed() || state.segments.count() == 1) {
      return null;
    }
    try {
      return new Compaction(state, reader)
          .dirtySection(firstDirtyOffset, lastStableOffset(highWatermark));
    } finally {
      use.noteFiles();
    }
  }

  /**
   * Begins to compact; the cleaner's steps run off this shard. The log must be synced up to {@link
   * DirtySection#mustBeSyncedTo}.
   */
  public Cleaner clean(DirtySection section, CleanerBounds bounds) throws IOException {
    if (syncedEndOffset() < section.mustBeSyncedTo()) {
      throw new IllegalStateException(
          id() + " is synced up to " + syncedEndOffset() + " only, for " + section);
    }
    use.touch();
    state.cleanEnd.begin(state.logEndOffset);
    return new Cleaner(new Compaction(state, reader).plan(section), bounds);
  }

  /**
   * Up to where this log was compacted, exclusive, as far as that was told since it was opened; -1
   * when not known. What was cut and appended again is not compacted.
   */
  public long cleanEndOffset() {
    return state.cleanEnd.offset();
  }

  /**
   * All below {@code endOffsetExclusive} was compacted: a cleaner has ended, or had in a run before
   * and this log has not been compacted since it was opened. Counts only as far as the log was
   * never shorter since then.
   */
  public void noteCompacted(long endOffsetExclusive) {
    state.cleanEnd.compactedTo(endOffsetExclusive);
  }

  /**
   * Whether this log still has the segments that a cleaner is to read; to be asked between its
   * steps. If not, that it failed says nothing about the log: it is to be abandoned.
   */
  public boolean holdsSourcesOf(Cleaner cleaner) {
    return new Compaction(state, reader).holds(cleaner.unread());
  }

  /**
   * Takes over a segment that a cleaner has ready. The old files are only renamed: see {@link
   * #takeFilesToDelete}.
   *
   * @return false when the log has changed meanwhile; the cleaner is to be abandoned then
   */
  public boolean adopt(CleanedSegment cleaned) throws IOException {
    if (isClosedOrFailed()) {
      return false;
    }
    use.touch();
    try {
      return new Compaction(state, reader).adopt(cleaned);
    } catch (IOException e) {
      throw failed("compaction", e);
    }
  }

  // --- growing smaller ---

  /**
   * Deletes old segments by the topic's settings and the log start offset; returns how many. Their
   * files are only renamed: see {@link #takeFilesToDelete}.
   */
  public int deleteOldSegments(long highWatermark) throws IOException {
    if (isClosedOrFailed()) {
      return 0;
    }
    try {
      return retention.deleteOld(highWatermark);
    } catch (IOException e) {
      throw failed("retention", e);
    } finally {
      use.noteFiles();
    }
  }

  /** Names in the folder to be deleted, each told once. Deleting them may run anywhere. */
  public List<String> takeFilesToDelete() {
    List<String> names = List.copyOf(state.filesToDelete);
    state.filesToDelete.clear();
    return names;
  }

  /**
   * Moves the log start offset up, as DeleteRecords asks; without effect if it is not below.
   *
   * @throws OffsetOutOfRange when {@code newStart} is above the high watermark
   */
  public void advanceLogStartOffset(long newStart, long highWatermark)
      throws OffsetOutOfRange, IOException {
    use.touch();
    try {
      retention.advanceStart(newStart, highWatermark);
    } catch (IOException e) {
      throw failed("moving the log start", e);
    }
  }

  /**
   * Cuts everything from {@code offset} on, and what the epochs know from there. Blocks until that
   * is durable. If the offset lies inside a batch, the whole batch goes. A recovery point that the
   * broker keeps elsewhere must be lowered before the next append.
   */
  public void truncateTo(long offset) throws IOException {
    use.touch();
    try {
      truncation.truncateTo(offset);
    } catch (IOException e) {
      throw failed("truncation", e);
    }
  }

  /** Makes the log an empty one that begins and ends at {@code offset}. Blocks until durable. */
  public void truncateFullyAndStartAt(long offset) throws IOException {
    use.touch();
    try {
      truncation.truncateFullyAndStartAt(offset);
    } catch (IOException e) {
      throw failed("truncation", e);
    }
  }

  /** Begins a new segment, unless the active one is empty. */
  public void roll() throws IOException {
    use.touch();
    if (state.segments.active().size() > 0) {
      try {
        state.roll(state.logEndOffset);
      } catch (IOException e) {
        throw failed("roll", e);
      }
    }
  }

  // --- producers ---

  public ProducerState producers() {
    return state.producers;
  }

  /** Forgets idle producers (producer.id.expiration.ms); returns how many. */
  public int expireProducers() {
    int expired =
        state.producers.expire(state.clock.wallMs(), state.settings.producerIdExpirationMs());
    state.changed |= expired > 0;
    return expired;
  }

  // --- idling and closing ---

  /** How it is used. */
  LogUse use() {
    return use;
  }

  /** Closes files that nothing used since the last call; they open again when needed. */
  public void releaseIdleFiles() throws IOException {
    try {
      use.releaseIdleFiles();
    } catch (IOException e) {
      throw failed("closing idle files", e);
    }
  }

  void forgetAppender() {
    appender = null;
  }

  boolean isClosedOrFailed() {
    return closed || failure != null;
  }

  /** True once after something changed that a checkpoint tells. */
  public boolean takeChanged() {
    boolean was = state.changed;
    state.changed = false;
    return was;
  }

  /**
   * Closes the log; without effect when closed.
   *
   * @param clean true to sync everything so that the next opening needs no scan; a log that failed
   *     cannot be closed so, and the broker must leave no clean marker then. Waits for a {@link
   *     FlushTask} that runs on another thread, and does the work of one that has yet to run
   */
  public void close(boolean clean) throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (clean) {
        closeCleanly();
      }
    } finally {
      state.closeFiles();
    }
  }

  private void closeCleanly() throws IOException {
    if (writeOut()) {
      LogFlush flush = state.flushes.prepare();
      flush.syncFiles();
      state.flushes.finish(flush, null);
    }
  }

  /**
   * Writes what is kept in memory into files, as the first half of a clean close. Returns false
   * when nothing of this log waits for a sync. Blocks while a sync runs on another thread.
   *
   * @throws IOException also of a log that failed
   */
  public boolean writeOut() throws IOException {
    if (failure != null) {
      throw new IOException("The log " + id() + " cannot be closed cleanly: " + failure);
    }
    // What they took is no longer dirty, though perhaps not synced, and their files close now.
    state.flushes.completeAll();
    if (state.isSaved()) {
      return false;
    }
    Segment active = state.segments.active();
    if (active.isAnythingDirty()) {
      active.seal();
    }
    if (!state.snapshots.has(state.logEndOffset) && state.isLongWithoutSnapshot()) {
      state.snapshots.take(state.logEndOffset, state.producers);
    }
    state.writeEpochs();
    state.closeFiles(); // thousands of logs may wait for the same sync
    return true;
  }

  /** Closes a log after {@link #writeOut} and a sync of all that is in its folder. */
  public void closeSynced() throws IOException {
    if (!closed) {
      closed = true;
      state.noteSynced();
      state.closeFiles();
    }
  }

  /** Closes it cleanly. */
  @Override
  public void close() throws IOException {
    close(true);
  }
}
