package dev.tidemark.log;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A file of entries of one size in ascending order. New entries gather in memory and are written in
 * chunks, since a lost index is rebuilt from the log; old ones are read from the file one by one,
 * so that an idle index costs neither an open file nor heap.
 */
final class IndexFile {
  private static final int FIRST_TAIL_ENTRIES = 32;
  private static final int MAX_TAIL_ENTRIES = 512;
  private static final int UNKNOWN = -1;

  private final Directory folder;
  private final String name;
  private final int entryBytes;
  private int written = UNKNOWN;
  private @Nullable ByteBuffer tail;
  private @Nullable LogFile file;

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
    return folder.exists(name) && folder.size(name) % entryBytes == 0;
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
        : fromFile(entry, at, Long.BYTES).getLong(0);
  }

  int intAt(int entry, int at) throws IOException {
    int inTail = entry - written();
    return inTail >= 0 && tail != null
        ? tail.getInt(inTail * entryBytes + at)
        : fromFile(entry, at, Integer.BYTES).getInt(0);
  }

  private ByteBuffer fromFile(int entry, int at, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    if (open().read(buffer, (long) entry * entryBytes + at) != bytes) {
      throw new IOException("The index " + open().path() + " has no entry " + entry);
    }
    return buffer;
  }

  /** Keeps the first {@code count} entries. */
  void truncate(int count) throws IOException {
    if (tail != null && count > written()) {
      tail.position((count - written()) * entryBytes);
    } else {
      tail = null;
      if (count < written() || !looksWhole()) {
        open().truncate((long) count * entryBytes);
        written = count;
      }
    }
  }

  /** Brings all entries into the file, which exists afterwards. */
  void writeOut() throws IOException {
    LogFile target = open();
    if (tail != null && tail.position() > 0) {
      int entries = tail.position() / entryBytes;
      target.write(tail.flip(), (long) written() * entryBytes);
      written += entries;
      tail.clear();
    }
  }

  /** Gives back the memory of the tail after {@link #writeOut}. */
  void dropTail() {
    if (tail != null && tail.position() == 0) {
      tail = null;
    }
  }

  LogFile open() throws IOException {
    written();
    if (file == null) {
      file = folder.open(name, OpenMode.READ_WRITE);
    }
    return file;
  }

  void close() throws IOException {
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
