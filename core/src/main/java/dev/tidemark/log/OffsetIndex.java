package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;

/**
 * The sparse index from offset to file position. An entry holds the last offset of a batch,
 * relative to the segment's base, and where that batch begins.
 */
final class OffsetIndex {
  static final int ENTRY_BYTES = 8;

  private static final IndexFile.Key OFFSET = (all, index) -> all.getInt(index);
  private static final IndexFile.Key POSITION = (all, index) -> all.getInt(index + Integer.BYTES);

  private final long baseOffset;
  final IndexFile entries;

  OffsetIndex(Directory folder, long baseOffset) {
    this.baseOffset = baseOffset;
    this.entries =
        new IndexFile(folder, FileNames.of(baseOffset, FileNames.OFFSET_INDEX), ENTRY_BYTES);
  }

  void append(long lastOffset, int position) throws IOException {
    entries.add().putInt((int) (lastOffset - baseOffset)).putInt(position);
  }

  /** Begin of the last indexed batch that ends at or before {@code offset}; 0 without one. */
  int positionBefore(long offset) throws IOException {
    int entry = entries.floor(OFFSET, offset - baseOffset);
    return entry < 0 ? 0 : entries.intAt(entry, Integer.BYTES);
  }

  /** Begin of the last indexed batch at or before {@code position}; 0 without one. */
  int boundaryBefore(int position) throws IOException {
    int entry = entries.floor(POSITION, position);
    return entry < 0 ? 0 : entries.intAt(entry, Integer.BYTES);
  }

  /** Begin of the last indexed batch; 0 without one. */
  int lastPosition() throws IOException {
    int count = entries.count();
    return count == 0 ? 0 : entries.intAt(count - 1, Integer.BYTES);
  }

  /** Forgets batches that end at or after {@code offset}. */
  void truncate(long offset) throws IOException {
    entries.truncate(entries.floor(OFFSET, offset - 1 - baseOffset) + 1);
  }
}
