package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the log: a file of batches, the indexes over it, and the aborted transactions whose
 * markers stand in it. Files are opened when they are needed and closed when they idle.
 */
final class Segment {
  static final long UNKNOWN = Long.MIN_VALUE;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final Directory folder;
  private final long baseOffset;
  private final long createdMs;
  private @Nullable OffsetIndex offsetIndex;
  private @Nullable TimeIndex timeIndex;
  private @Nullable TxnIndex txnIndex;
  private int size;
  private int bytesSinceIndexEntry;
  private long maxTimestampMs = UNKNOWN;
  private long offsetOfMaxTimestamp;
  private long firstTimestampMs = UNKNOWN;
  private @Nullable LogFile file;
  private boolean used;
  private boolean dirty;
  private boolean indexesDirty;
  private boolean sealed;
  private boolean rebuilt;
  private int pins;
  private boolean closeWhenUnpinned;
  private boolean unseen;
  private boolean exists;

  Segment(Directory folder, long baseOffset, int size, long createdMs) {
    this.folder = folder;
    this.baseOffset = baseOffset;
    this.size = size;
    this.createdMs = createdMs;
  }

  /** A segment as it was left; its files are looked at when they are needed. */
  static Segment resumed(Directory folder, SegmentSummary left, long createdMs) {
    Segment segment = new Segment(folder, left.baseOffset(), left.size(), createdMs);
    segment.maxTimestampMs = left.maxTimestampMs();
    segment.offsetOfMaxTimestamp = left.offsetOfMaxTimestamp();
    segment.bytesSinceIndexEntry = left.size();
    segment.unseen = true;
    return segment;
  }

  /** What {@link #resumed} needs. */
  SegmentSummary summary() {
    return new SegmentSummary(baseOffset, size, maxTimestampMs, offsetOfMaxTimestamp);
  }

  long baseOffset() {
    return baseOffset;
  }

  String name() {
    return FileNames.of(baseOffset, FileNames.LOG);
  }

  String path() {
    return folder.path() + "/" + name();
  }

  /** Bytes of whole batches. */
  int size() {
    return size;
  }

  private OffsetIndex offsetIndex() {
    if (offsetIndex == null) {
      offsetIndex = new OffsetIndex(folder, baseOffset);
    }
    return offsetIndex;
  }

  private TimeIndex timeIndex() {
    if (timeIndex == null) {
      timeIndex = new TimeIndex(folder, baseOffset);
    }
    return timeIndex;
  }

  TxnIndex txnIndex() {
    if (txnIndex == null) {
      txnIndex = new TxnIndex(folder, baseOffset);
    }
    return txnIndex;
  }

  LogFile file() throws IOException {
    used = true;
    closeWhenUnpinned = false;
    LogFile opened = file;
    if (opened == null) {
      if (unseen) {
        checkUnchanged();
      }
      opened = folder.open(name(), OpenMode.READ_WRITE);
      file = opened;
      exists = true;
    }
    return opened;
  }

  /** A file that was remembered and not looked at since must be as it was left. */
  private void checkUnchanged() throws IOException {
    long bytes = folder.exists(name()) ? folder.size(name()) : 0;
    if (bytes != size) {
      throw new CorruptLog(
          "%s has %d bytes, %d were there when the broker last ran: it was changed or lost meanwhile; restore it from a copy, or delete and create the topic again"
              .formatted(path(), bytes, size));
    }
    unseen = false;
  }

  /** False until the file of a new log's first segment is made, with its first records. */
  boolean exists() {
    return exists || size > 0;
  }

  /** Creates the files of a new segment. */
  void create() throws IOException {
    LogFile created = file();
    created.truncate(0);
    clearIndexes();
    dirty = true;
  }

  // --- growing ---

  /** Writes batches behind the last one; they count only once {@link #added} was told of each. */
  void write(ByteBuffer batches) throws IOException {
    dirty = true;
    file().write(batches, size);
  }

  /** Takes in a batch that stands at the end of what counts. */
  void added(BatchHeader batch, int indexIntervalBytes) throws IOException {
    long lastOffset = batch.lastOffset();
    noteTimestamp(batch);
    if (bytesSinceIndexEntry > indexIntervalBytes) {
      offsetIndex().append(lastOffset, size);
      timeIndex().append(maxTimestampMs, offsetOfMaxTimestamp);
      bytesSinceIndexEntry = 0;
    }
    if (size == 0) {
      firstTimestampMs = batch.maxTimestampMs();
    }
    indexesDirty = true;
    int bytes = (int) batch.sizeInBytes();
    bytesSinceIndexEntry += bytes;
    size += bytes;
  }

  private void noteTimestamp(BatchHeader batch) throws IOException {
    if (batch.maxTimestampMs() > maxTimestampMs()) {
      maxTimestampMs = batch.maxTimestampMs();
      offsetOfMaxTimestamp = batch.lastOffset();
    }
  }

  /** True when the next batches belong into a new segment (KAFKA-6264: offsets stay relative). */
  boolean mustRoll(
      int bytes, long lastOffset, long newestTimestampMs, LogSettings settings, long nowMs)
      throws IOException {
    if (size == 0) {
      return lastOffset - baseOffset > Integer.MAX_VALUE;
    }
    return size > settings.segmentBytes() - bytes
        || lastOffset - baseOffset > Integer.MAX_VALUE
        || isFull(offsetIndex().entries, OffsetIndex.ENTRY_BYTES, settings.indexBytes())
        || isFull(timeIndex().entries, TimeIndex.ENTRY_BYTES, settings.indexBytes())
        || age(newestTimestampMs, nowMs) > settings.rollMs() - jitterMs(settings);
  }

  /** Spreads the rolls of logs that began together; the same for a segment every time. */
  private long jitterMs(LogSettings settings) {
    long bound = Math.min(settings.segmentJitterMs(), settings.rollMs());
    return bound <= 0 ? 0 : Math.floorMod(path().hashCode() * GOLDEN, bound);
  }

  private static boolean isFull(IndexFile index, int entryBytes, int maxBytes) throws IOException {
    return index.count() >= Math.max(1, maxBytes / entryBytes - 1);
  }

  private long age(long newestTimestampMs, long nowMs) throws IOException {
    return firstTimestampMs() >= 0 && newestTimestampMs >= 0
        ? newestTimestampMs - firstTimestampMs()
        : nowMs - createdMs;
  }

  private long firstTimestampMs() throws IOException {
    if (firstTimestampMs == UNKNOWN) {
      BatchScanner scanner = new BatchScanner(file(), 0, size, BatchHeader.SIZE);
      firstTimestampMs = scanner.next() ? scanner.header().maxTimestampMs() : -1;
    }
    return firstTimestampMs;
  }

  /** The time of its first batch, or of the segment itself without timestamps. */
  long firstMs() throws IOException {
    return firstTimestampMs() >= 0 ? firstTimestampMs() : createdMs;
  }

  /** Ends the growth: the indexes are complete from now on. */
  void seal() throws IOException {
    timeIndex().append(maxTimestampMs(), offsetOfMaxTimestamp());
    offsetIndex().entries.complete();
    timeIndex().entries.complete();
    sealed = true;
    dirty = true;
  }

  void unseal() {
    sealed = false;
  }

  private void writeIndexes() throws IOException {
    if (offsetIndex != null) {
      offsetIndex.entries.writeOut();
    }
    if (timeIndex != null) {
      timeIndex.entries.writeOut();
    }
  }

  // --- finding ---

  /** Where the first batch begins that ends at or after {@code offset}; the size without one. */
  int positionOf(long offset) throws IOException {
    int indexed = offsetIndex().positionBefore(offset);
    boolean plausible = indexed > 0 && indexed < size;
    int found = plausible ? positionFrom(near(indexed), offset) : NOT_THERE;
    // An index that is wrong must cost time alone.
    return found == NOT_THERE ? positionFromBegin(offset) : found;
  }

  private static final int NOT_THERE = -1;

  /** {@link #NOT_THERE} also where the index pointed behind the batch, or to none. */
  private int positionFrom(BatchScanner scanner, long offset) throws IOException {
    boolean first = true;
    while (scanner.next()) {
      if (first && scanner.header().baseOffset() > offset) {
        break;
      }
      first = false;
      if (scanner.header().lastOffset() >= offset) {
        return (int) scanner.position();
      }
    }
    return !first && scanner.position() == size ? size : NOT_THERE;
  }

  private int positionFromBegin(long offset) throws IOException {
    BatchScanner scanner = near(0);
    while (scanner.next()) {
      if (scanner.header().lastOffset() >= offset) {
        return (int) scanner.position();
      }
    }
    return requireWhole(scanner);
  }

  /** The last batch that begins at or after {@code from} and at or before {@code position}. */
  Boundary boundaryBefore(int from, int position) throws IOException {
    used = true;
    int start = Math.max(from, offsetIndex().boundaryBefore(position));
    BatchScanner scanner = near(start);
    while (scanner.next()) {
      if (scanner.nextPosition() > position) {
        return new Boundary(
            (int) scanner.position(),
            scanner.header().baseOffset(),
            (int) scanner.header().sizeInBytes(),
            scanner.header().lastOffset());
      }
    }
    throw new IOException(
        path() + " holds no batch across position " + position + " of " + size + faultOf(scanner));
  }

  /** A batch that begins before a position and ends after it. */
  record Boundary(int position, long baseOffset, int batchBytes, long lastOffset) {}

  BatchScanner near(int position) throws IOException {
    return new BatchScanner(file(), position, size, BatchScanner.NEAR_BYTES);
  }

  BatchScanner far(int position) throws IOException {
    return new BatchScanner(file(), position, size, BatchScanner.FAR_BYTES);
  }

  /** That a walk ended where the segment does; returns its size. */
  int requireWhole(BatchScanner scanner) throws IOException {
    if (scanner.position() != size) {
      throw new CorruptLog(
          path()
              + " at position "
              + scanner.position()
              + " of "
              + size
              + faultOf(scanner)
              + "; restore the partition from another replica");
    }
    return size;
  }

  private static String faultOf(BatchScanner scanner) {
    return scanner.fault() == null ? "" : " " + scanner.fault();
  }

  /** Where to begin a search for the first batch as new as {@code timestampMs}. */
  int positionBeforeTime(long timestampMs) throws IOException {
    return offsetIndex().positionBefore(timeIndex().offsetBefore(timestampMs));
  }

  /** The largest timestamp of its records, -1 when they have none. */
  long maxTimestampMs() throws IOException {
    if (maxTimestampMs == UNKNOWN) {
      maxTimestampMs = timeIndex().lastTimestampMs();
      offsetOfMaxTimestamp = timeIndex().lastOffset();
    }
    return maxTimestampMs;
  }

  /** The last offset of the batch with the largest timestamp. */
  private long offsetOfMaxTimestamp() throws IOException {
    maxTimestampMs();
    return offsetOfMaxTimestamp;
  }

  /** Where the batch with the largest timestamp begins. */
  int positionOfMaxTimestamp() throws IOException {
    return positionOf(offsetOfMaxTimestamp());
  }

  /** True when {@link #newestMs} needs no look at a file. */
  boolean knowsNewest() {
    return maxTimestampMs >= 0;
  }

  /** What retention by time goes by: the newest record, or the file's age without timestamps. */
  long newestMs() throws IOException {
    return maxTimestampMs() >= 0 ? maxTimestampMs() : folder.lastModifiedMs(name());
  }

  // --- opening ---

  /** True when both indexes are there and could be right. */
  boolean indexesLookWhole() throws IOException {
    return offsetIndex().entries.looksWhole() && timeIndex().entries.looksWhole();
  }

  /**
   * Walks from the last index entry to the end, to learn where the log ends. Returns the offset
   * after the last batch, or -1 when the file does not end with a whole batch or an index is wrong.
   */
  long findEnd(int indexIntervalBytes) throws IOException {
    int start = offsetIndex().lastPosition();
    if (start < 0 || start > size) {
      return -1;
    }
    maxTimestampMs();
    long end = baseOffset;
    BatchScanner scanner = near(start);
    while (scanner.next()) {
      BatchHeader batch = scanner.header();
      if (batch.baseOffset() < end) {
        return -1;
      }
      end = batch.lastOffset() + 1;
      noteTimestamp(batch);
    }
    bytesSinceIndexEntry = Math.min(size - start, indexIntervalBytes + 1);
    return scanner.fault() == null ? end : -1;
  }

  /** Forgets the indexes and all that was learned by them, before the file is walked again. */
  void startRebuild() throws IOException {
    clearIndexes();
    txnIndex().reset();
    rebuilt = true;
    size = 0;
    dirty = true;
  }

  /** True when its transaction index was emptied at opening and is to be filled by the replay. */
  boolean isRebuilt() {
    return rebuilt;
  }

  private void clearIndexes() throws IOException {
    indexesDirty = true;
    offsetIndex().entries.truncate(0);
    timeIndex().entries.truncate(0);
    bytesSinceIndexEntry = 0;
    maxTimestampMs = TimeIndex.NO_TIMESTAMP;
    offsetOfMaxTimestamp = baseOffset;
    firstTimestampMs = UNKNOWN;
  }

  // --- shrinking ---

  /** Cuts at a position where a batch begins, and syncs; {@code offset} is that batch's base. */
  void truncate(int position, long offset) throws IOException {
    indexesDirty = true;
    offsetIndex().truncate(offset);
    timeIndex().truncate(offset);
    txnIndex().truncate(offset);
    file().truncate(position);
    file().sync();
    size = position;
    sealed = false;
    if (position == 0) {
      clearIndexes();
    } else {
      maxTimestampMs = UNKNOWN;
      maxTimestampMs();
      int start = offsetIndex().lastPosition();
      BatchScanner scanner = near(start);
      while (scanner.next()) {
        noteTimestamp(scanner.header());
      }
      bytesSinceIndexEntry = size - start;
    }
    dirty = true;
  }

  /** Renames its files so that they count no more; returns the new names. */
  List<String> markDeleted() throws IOException {
    close();
    List<String> deleted = new ArrayList<>();
    for (String suffix :
        List.of(FileNames.LOG, FileNames.OFFSET_INDEX, FileNames.TIME_INDEX, FileNames.TXN_INDEX)) {
      String old = FileNames.of(baseOffset, suffix);
      if (folder.exists(old)) {
        folder.rename(old, old + FileNames.DELETED);
        deleted.add(old + FileNames.DELETED);
      }
    }
    return deleted;
  }

  // --- syncing and closing ---

  boolean isDirty() {
    return dirty;
  }

  /** True when anything of it may be unsynced, also of indexes that a recovery would rebuild. */
  boolean isAnythingDirty() {
    return dirty || indexesDirty;
  }

  void markDirty() {
    dirty = true;
  }

  /** Something else synced all its files. */
  void markSynced() {
    dirty = false;
    indexesDirty = false;
  }

  /** The files to sync; of the active segment the log alone, its indexes can be rebuilt. */
  List<LogFile> takeUnsynced() throws IOException {
    List<LogFile> files = new ArrayList<>(4);
    files.add(file());
    if (sealed) {
      files.add(offsetIndex().entries.open());
      files.add(timeIndex().entries.open());
      indexesDirty = false;
    }
    LogFile aborted = txnIndex().fileIfAny();
    if (aborted != null) {
      files.add(aborted);
    }
    dirty = false;
    pins++;
    return files;
  }

  void unpin() throws IOException {
    pins--;
    if (pins == 0 && closeWhenUnpinned) {
      close();
    }
  }

  /** Closes the files if nothing used them since the last call. */
  void closeIfIdle() throws IOException {
    if (!used && hasOpenFiles()) {
      writeIndexes();
      close();
    }
    used = false;
  }

  /** True when it holds files open, or what goes with open files. */
  boolean hasOpenFiles() {
    return file != null || offsetIndex != null || timeIndex != null || txnIndex != null;
  }

  void close() throws IOException {
    if (pins > 0) {
      closeWhenUnpinned = true;
      return;
    }
    closeNow();
  }

  /** Closes the files though a sync may be under way, whose end nobody waits for. */
  void closeNow() throws IOException {
    closeWhenUnpinned = false;
    if (offsetIndex != null) {
      offsetIndex.entries.close();
      offsetIndex = null;
    }
    if (timeIndex != null) {
      timeIndex.entries.close();
      timeIndex = null;
    }
    if (txnIndex != null) {
      txnIndex.close();
      txnIndex = null;
    }
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
