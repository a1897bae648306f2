package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A file of entries of one size in ascending order. New entries gather in memory and are written in
 * chunks, since a lost index is rebuilt from the log; old ones are read from the file in blocks, of
 * which one is kept, so that an idle index costs neither an open file nor heap.
 */
final class IndexFile {
  private static final int FIRST_TAIL_ENTRIES = 32;
  private static final int MAX_TAIL_ENTRIES = 512;
  private static final int UNKNOWN = -1;

  /** Entries that are read at once. */
  private static final int BLOCK_ENTRIES = 512;

  private final Directory folder;
  private final String name;
  private final int entryBytes;
  private int written = UNKNOWN;
  private @Nullable ByteBuffer tail;
  private @Nullable LogFile file;

  /** The first entry of each block that a search came by, which makes the next one quick. */
  private @Nullable ByteBuffer firsts;

  private final BitSet firstsKnown = new BitSet(1);
  private @Nullable ByteBuffer cachedBlock;
  private int cachedBlockNumber;

  IndexFile(Directory folder, String name, int entryBytes) {
    this.folder = folder;
    this.name = name;
    this.entryBytes = entryBytes;
  }

  String name() {
    return name;
  }

  /** Number of entries. */
  int count() throws IOException {
    return written() + (tail == null ? 0 : tail.position() / entryBytes);
  }

  private int written() throws IOException {
    if (written == UNKNOWN) {
      written = folder.exists(name) ? Math.toIntExact(folder.size(name) / entryBytes) : 0;
    }
    return written;
  }

  /** True when the file is there and holds whole entries only. */
  boolean looksWhole() throws IOException {
    return folder.exists(name) && hasWholeEntries();
  }

  private boolean hasWholeEntries() throws IOException {
    return folder.size(name) % entryBytes == 0;
  }

  /** The buffer to put one new entry into. */
  ByteBuffer add() throws IOException {
    written();
    ByteBuffer buffer = tail;
    if (buffer == null) {
      buffer = ByteBuffer.allocate(FIRST_TAIL_ENTRIES * entryBytes);
    } else if (!buffer.hasRemaining()) {
      if (buffer.capacity() < MAX_TAIL_ENTRIES * entryBytes) {
        buffer = ByteBuffer.allocate(buffer.capacity() * 2).put(buffer.flip());
      } else {
        writeOut();
      }
    }
    tail = buffer;
    return buffer;
  }

  long longAt(int entry, int at) throws IOException {
    int inTail = entry - written();
    return inTail >= 0 && tail != null
        ? tail.getLong(inTail * entryBytes + at)
        : valueInFile(entry, at, true);
  }

  int intAt(int entry, int at) throws IOException {
    int inTail = entry - written();
    return inTail >= 0 && tail != null
        ? tail.getInt(inTail * entryBytes + at)
        : (int) valueInFile(entry, at, false);
  }

  private long valueInFile(int entry, int at, boolean wide) throws IOException {
    ByteBuffer block = block(entry / BLOCK_ENTRIES);
    int index = entry % BLOCK_ENTRIES * entryBytes + at;
    return wide ? block.getLong(index) : block.getInt(index);
  }

  /** How entries are compared: one of their fields. */
  interface Key {
    long of(ByteBuffer entries, int index);
  }

  /** The last entry whose key is at most {@code target}, -1 without one. */
  int floor(Key key, long target) throws IOException {
    int inFile = written();
    int inTail = tail == null ? 0 : tail.position() / entryBytes;
    if (tail != null && inTail > 0 && key.of(tail, 0) <= target) {
      return inFile + floorIn(tail, inTail, key, target);
    }
    int low = 0;
    int high = (inFile - 1) / BLOCK_ENTRIES;
    if (inFile == 0) {
      return -1;
    }
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (key.of(firstOf(middle), middle * entryBytes) <= target) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    if (high < 0) {
      return -1;
    }
    int first = high * BLOCK_ENTRIES;
    int entries = Math.min(BLOCK_ENTRIES, inFile - first);
    return first + floorIn(block(high), entries, key, target);
  }

  private int floorIn(ByteBuffer entries, int count, Key key, long target) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (key.of(entries, middle * entryBytes) <= target) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** The first entries of all blocks, of which at least this block's is filled in. */
  private ByteBuffer firstOf(int block) throws IOException {
    ByteBuffer all = firsts;
    int needed = (block + 1) * entryBytes;
    if (all == null || all.capacity() < needed) {
      int capacity = Math.max(needed, ((written() - 1) / BLOCK_ENTRIES + 1) * entryBytes);
      all = ByteBuffer.allocate(capacity);
      firsts = all;
      firstsKnown.clear();
    }
    if (!firstsKnown.get(block)) {
      all.limit(needed).position(block * entryBytes);
      readFully(all, (long) block * BLOCK_ENTRIES * entryBytes);
      all.clear();
      firstsKnown.set(block);
    }
    return all;
  }

  private ByteBuffer block(int block) throws IOException {
    ByteBuffer buffer = cachedBlock;
    if (buffer == null || cachedBlockNumber != block) {
      buffer = buffer == null ? ByteBuffer.allocate(BLOCK_ENTRIES * entryBytes) : buffer;
      int entries = Math.min(BLOCK_ENTRIES, written() - block * BLOCK_ENTRIES);
      cachedBlock = null;
      buffer.clear().limit(entries * entryBytes);
      readFully(buffer, (long) block * BLOCK_ENTRIES * entryBytes);
      buffer.clear();
      cachedBlock = buffer;
      cachedBlockNumber = block;
    }
    return buffer;
  }

  private void readFully(ByteBuffer target, long position) throws IOException {
    int wanted = target.remaining();
    if (open().read(target, position) != wanted) {
      throw new IOException(
          "The index " + open().path() + " has no " + wanted + " bytes at position " + position);
    }
  }

  private void forgetCached() {
    firsts = null;
    firstsKnown.clear();
    cachedBlock = null;
  }

  /** Keeps the first {@code count} entries. */
  void truncate(int count) throws IOException {
    forgetCached();
    if (tail != null && count > written()) {
      tail.position((count - written()) * entryBytes);
    } else {
      tail = null;
      if (count < written() || (folder.exists(name) && !hasWholeEntries())) {
        open().truncate((long) count * entryBytes);
        written = count;
      }
    }
  }

  /** Brings all entries into the file. */
  void writeOut() throws IOException {
    if (tail != null && tail.position() > 0) {
      LogFile target = open();
      int entries = tail.position() / entryBytes;
      target.write(tail.flip(), (long) written() * entryBytes);
      written += entries;
      cachedBlock = null;
      tail.clear();
    }
  }

  /** Brings all entries into the file, which exists afterwards, and gives back their memory. */
  void complete() throws IOException {
    writeOut();
    if (open().size() != (long) written() * entryBytes) {
      throw new IOException(open().path() + " does not hold its " + written() + " entries");
    }
    tail = null;
  }

  LogFile open() throws IOException {
    written();
    if (file == null) {
      file = folder.open(name, OpenMode.READ_WRITE);
    }
    return file;
  }

  void close() throws IOException {
    forgetCached();
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
