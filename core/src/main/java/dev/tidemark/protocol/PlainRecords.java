package dev.tidemark.protocol;

import java.nio.ByteBuffer;

/**
 * The fast look at an uncompressed batch: one loop over lengths and varints in place, which either
 * finds the records well formed or leaves it to the thorough walk to say what is wrong. It keeps
 * its state in locals on purpose; it runs for every batch that clients produce.
 */
final class PlainRecords {
  private static final long NO_TIMESTAMP = -1;
  private static final int POSITION_BITS = 32;

  private boolean allKeyed;
  private long oldestMs;
  private long newestMs;

  /** True when the batch holds exactly the stated records, each whole and numbered in order. */
  boolean areWellFormed(ByteBuffer buffer, BatchHeader header) {
    int start = header.position() + BatchHeader.SIZE;
    int end = header.position() + (int) header.sizeInBytes();
    try {
      return walk(buffer, start, end, header.recordCount(), header.baseTimestampMs());
    } catch (IndexOutOfBoundsException e) {
      return false;
    }
  }

  private boolean walk(ByteBuffer buffer, int start, int end, int count, long baseTimestampMs) {
    long oldest = Long.MAX_VALUE;
    long newest = NO_TIMESTAMP;
    boolean keyed = true;
    int at = start;
    for (int i = 0; i < count; i++) {
      long read = varint(buffer, at);
      at = (int) read;
      int length = (int) (read >> POSITION_BITS);
      if (length < 0 || length > end - at) {
        return false;
      }
      int recordEnd = at + length;
      at++; // attributes: none are defined
      long delta = 0;
      int shift = 0;
      byte b;
      do {
        b = buffer.get(at++);
        delta |= (long) (b & 0x7f) << shift;
        shift += 7;
      } while (b < 0 && shift <= 63);
      long timestampMs = baseTimestampMs + ((delta >>> 1) ^ -(delta & 1));
      if (timestampMs != NO_TIMESTAMP) {
        oldest = Math.min(oldest, timestampMs);
        newest = Math.max(newest, timestampMs);
      }
      read = varint(buffer, at);
      if (b < 0 || (int) (read >> POSITION_BITS) != i) {
        return false;
      }
      read = varint(buffer, (int) read);
      int keySize = (int) (read >> POSITION_BITS);
      keyed &= keySize >= 0;
      at = (int) read + Math.max(keySize, 0);
      if (keySize < -1 || keySize > end || at > recordEnd) {
        return false;
      }
      read = varint(buffer, at);
      int valueSize = (int) (read >> POSITION_BITS);
      at = (int) read + Math.max(valueSize, 0);
      if (valueSize < -1 || valueSize > end || at > recordEnd) {
        return false;
      }
      read = varint(buffer, at);
      at = (int) read;
      int headers = (int) (read >> POSITION_BITS);
      if (headers != 0) {
        at = skipHeaders(buffer, at, recordEnd, headers);
      }
      if (at != recordEnd) {
        return false;
      }
    }
    allKeyed = keyed;
    oldestMs = oldest;
    newestMs = newest;
    return at == end;
  }

  /** Where the headers end, or -1. */
  private static int skipHeaders(ByteBuffer buffer, int start, int recordEnd, int headers) {
    if (headers < 0 || headers > recordEnd - start) {
      return -1;
    }
    int at = start;
    for (int i = 0; i < headers; i++) {
      long read = varint(buffer, at);
      int keySize = (int) (read >> POSITION_BITS);
      if (keySize < 0 || keySize > recordEnd - (int) read) {
        return -1;
      }
      read = varint(buffer, (int) read + keySize);
      int valueSize = (int) (read >> POSITION_BITS);
      if (valueSize < -1 || valueSize > recordEnd - (int) read) {
        return -1;
      }
      at = (int) read + Math.max(valueSize, 0);
    }
    return at;
  }

  /** The number at a position, in the upper half, and the position after it, in the lower. */
  private static long varint(ByteBuffer buffer, int start) {
    int at = start;
    byte b = buffer.get(at++);
    int raw = b & 0x7f;
    for (int shift = 7; b < 0; shift += 7) {
      if (shift > 28) {
        throw new IndexOutOfBoundsException("a varint has more than five bytes");
      }
      b = buffer.get(at++);
      raw |= (b & 0x7f) << shift;
    }
    return ((long) ((raw >>> 1) ^ -(raw & 1)) << POSITION_BITS) | at;
  }

  /** True when all records of the batch looked at last have keys. */
  boolean allKeyed() {
    return allKeyed;
  }

  /** Their oldest timestamp; the largest long when none has one. */
  long oldestMs() {
    return oldestMs;
  }

  /** Their newest timestamp, or -1. */
  long newestMs() {
    return newestMs;
  }
}
