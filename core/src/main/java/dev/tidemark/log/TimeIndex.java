package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;

/**
 * The sparse index by time. An entry holds the largest timestamp so far and the last offset of the
 * batch that brought it, relative to the segment's base; both only grow.
 */
final class TimeIndex {
  static final int ENTRY_BYTES = 12;
  static final long NO_TIMESTAMP = -1;

  private static final IndexFile.Key TIME = (all, index) -> all.getLong(index);

  private final long baseOffset;
  final IndexFile entries;

  TimeIndex(Directory folder, long baseOffset) {
    this.baseOffset = baseOffset;
    this.entries =
        new IndexFile(folder, FileNames.of(baseOffset, FileNames.TIME_INDEX), ENTRY_BYTES);
  }

  /** Adds an entry unless its timestamp is not larger than the last one's. */
  void append(long timestampMs, long offset) throws IOException {
    if (timestampMs > lastTimestampMs()) {
      entries.add().putLong(timestampMs).putInt((int) (offset - baseOffset));
    }
  }

  long lastTimestampMs() throws IOException {
    int count = entries.count();
    return count == 0 ? NO_TIMESTAMP : entries.longAt(count - 1, 0);
  }

  /** Offset that goes with {@link #lastTimestampMs}; the base offset without entries. */
  long lastOffset() throws IOException {
    int count = entries.count();
    return count == 0 ? baseOffset : offsetAt(count - 1);
  }

  /**
   * The offset of the last entry whose timestamp is below {@code timestampMs}: nothing up to it is
   * as new. The base offset without one.
   */
  long offsetBefore(long timestampMs) throws IOException {
    int entry = entries.floor(TIME, timestampMs - 1);
    return entry < 0 ? baseOffset : offsetAt(entry);
  }

  /** Forgets entries for offsets at or above {@code offset}. */
  void truncate(long offset) throws IOException {
    int count = entries.count();
    while (count > 0 && offsetAt(count - 1) >= offset) {
      count--;
    }
    entries.truncate(count);
  }

  private long offsetAt(int entry) throws IOException {
    return baseOffset + entries.intAt(entry, Long.BYTES);
  }
}
