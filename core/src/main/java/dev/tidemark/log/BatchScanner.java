package dev.tidemark.log;

import dev.tidemark.env.LogFile;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Walks the batches of a file from a position that is known to be the begin of one. Only headers
 * are read, unless {@link #loadWhole} asks for more. It ends at the first place where no whole
 * batch can begin, and {@link #fault} tells why.
 */
final class BatchScanner {
  /** For the few batches between two index entries. */
  static final int NEAR_BYTES = 4096;

  /** For walks through whole segments. */
  static final int FAR_BYTES = 1 << 18;

  private final LogFile file;
  private final long end;
  private final BatchHeader header = new BatchHeader();
  private ByteBuffer buffer;
  private long bufferStart;
  private long position;
  private long nextPosition;
  private @Nullable String fault;

  BatchScanner(LogFile file, long position, long end, int readBytes) {
    this.file = file;
    this.nextPosition = position;
    this.position = position;
    this.end = end;
    this.buffer =
        ByteBuffer.allocate((int) Math.min(readBytes, Math.max(end - position, 0))).limit(0);
    this.bufferStart = position;
  }

  /** Goes to the next batch; false at the end or at a fault. */
  boolean next() throws IOException {
    position = nextPosition;
    if (position >= end) {
      return false;
    }
    if (end - position < BatchHeader.SIZE) {
      return fail("ends within a batch header");
    }
    int at = load(BatchHeader.SIZE);
    header.wrap(buffer, at);
    long size = header.sizeInBytes();
    if (size < BatchHeader.SIZE || header.magic() != BatchHeader.MAGIC_V2) {
      return fail("holds no batch header (length " + size + ", magic " + header.magic() + ")");
    }
    if (position + size > end) {
      return fail("ends within a batch of " + size + " bytes");
    }
    nextPosition = position + size;
    return true;
  }

  /** Brings the whole current batch into {@link #buffer} at the header's position. */
  void loadWhole() throws IOException {
    int at = load((int) header.sizeInBytes());
    header.wrap(buffer, at);
  }

  /** True when the CRC holds for the current batch, whose size alone may not be trusted yet. */
  boolean crcMatches() throws IOException {
    if (header.sizeInBytes() <= buffer.capacity()) {
      loadWhole();
      return header.crcMatches();
    }
    int stored = header.crc();
    CRC32C crc = new CRC32C();
    long at = position + BatchHeader.CRC_COVERS_FROM;
    while (at < nextPosition) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), nextPosition - at));
      at += file.read(buffer, at);
      crc.update(buffer.flip());
    }
    buffer.limit(0);
    header.wrap(buffer, load(BatchHeader.SIZE));
    return stored == (int) crc.getValue();
  }

  private int load(int bytes) throws IOException {
    long at = position - bufferStart;
    if (at + bytes > buffer.limit()) {
      if (buffer.capacity() < bytes) {
        buffer = ByteBuffer.allocate(bytes);
      }
      buffer.clear().limit((int) Math.min(buffer.capacity(), end - position));
      int read = file.read(buffer, position);
      if (read < bytes) {
        throw new CorruptLog(
            "%s has %d bytes, %d were expected: somebody cut it, or the disk lost its end"
                .formatted(file.path(), position + Math.max(read, 0), end));
      }
      buffer.flip();
      bufferStart = position;
      at = 0;
    }
    return (int) at;
  }

  private boolean fail(String what) {
    fault = what;
    return false;
  }

  BatchHeader header() {
    return header;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  /** Where the current batch begins; after {@link #next} was false, where the walk ended. */
  long position() {
    return position;
  }

  long nextPosition() {
    return nextPosition;
  }

  /** Why no batch begins at {@link #position}, or null. */
  @Nullable String fault() {
    return fault;
  }
}
