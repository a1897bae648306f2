package dev.tidemark.log;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The log of one partition. Owned by one shard. */
@SuppressWarnings("DoNotCallSuggester") // a skeleton
public final class PartitionLog implements AutoCloseable {
  private PartitionLog() {}

  public static PartitionLog open(
      LogId id, Directory folder, LogSettings settings, LogOpening opening, Clock clock)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  public LogId id() {
    throw new UnsupportedOperationException();
  }

  public LogSettings settings() {
    throw new UnsupportedOperationException();
  }

  public void updateSettings(LogSettings settings) {
    throw new UnsupportedOperationException();
  }

  public AppendResult append(ByteBuffer records, int leaderEpoch, AppendOrigin origin)
      throws RefusedAppend, IOException {
    throw new UnsupportedOperationException();
  }

  public AppendResult appendReplicated(ByteBuffer records) throws RefusedAppend, IOException {
    throw new UnsupportedOperationException();
  }

  public LogRead read(
      long startOffset, int maxBytes, boolean atLeastOneBatch, long endOffsetExclusive)
      throws OffsetOutOfRange, IOException {
    throw new UnsupportedOperationException();
  }

  public List<AbortedTxn> abortedTransactions(long startOffset, long endOffsetExclusive)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  public long lastStableOffset(long highWatermark) {
    throw new UnsupportedOperationException();
  }

  public long logStartOffset() {
    throw new UnsupportedOperationException();
  }

  public long logEndOffset() {
    throw new UnsupportedOperationException();
  }

  public long recoveryPoint() {
    throw new UnsupportedOperationException();
  }

  public long syncedEndOffset() {
    throw new UnsupportedOperationException();
  }

  public long sizeInBytes() {
    throw new UnsupportedOperationException();
  }

  public int latestEpoch() {
    throw new UnsupportedOperationException();
  }

  public EpochEnd endOffsetForEpoch(int epoch) {
    throw new UnsupportedOperationException();
  }

  public int epochForOffset(long offset) {
    throw new UnsupportedOperationException();
  }

  public void assignEpochStart(int epoch) throws IOException {
    throw new UnsupportedOperationException();
  }

  public @Nullable TimestampedOffset offsetForTimestamp(long timestampMs, long endOffsetExclusive)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  public @Nullable TimestampedOffset maxTimestamp(long endOffsetExclusive) throws IOException {
    throw new UnsupportedOperationException();
  }

  public boolean needsFlush() {
    throw new UnsupportedOperationException();
  }

  public FlushTask flush() throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Syncs here and now; blocks. */
  public void flushAndWait() throws IOException {
    throw new UnsupportedOperationException();
  }

  void flushDone(LogFlush flush, @Nullable Throwable failure) {
    throw new UnsupportedOperationException();
  }

  public int deleteOldSegments(long highWatermark) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Names in the folder that may be deleted now, each told once; deleting may run anywhere. */
  public List<String> takeFilesToDelete() {
    throw new UnsupportedOperationException();
  }

  public Directory folder() {
    throw new UnsupportedOperationException();
  }

  public void advanceLogStartOffset(long newStart, long highWatermark)
      throws OffsetOutOfRange, IOException {
    throw new UnsupportedOperationException();
  }

  public void truncateTo(long offset) throws IOException {
    throw new UnsupportedOperationException();
  }

  public void truncateFullyAndStartAt(long offset) throws IOException {
    throw new UnsupportedOperationException();
  }

  public void roll() throws IOException {
    throw new UnsupportedOperationException();
  }

  public ProducerState producers() {
    throw new UnsupportedOperationException();
  }

  public int expireProducers() {
    throw new UnsupportedOperationException();
  }

  /** Closes files that were not used since the last call; they open again when needed. */
  public void releaseIdleFiles() throws IOException {
    throw new UnsupportedOperationException();
  }

  public void close(boolean clean) throws IOException {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() throws IOException {
    close(true);
  }
}
