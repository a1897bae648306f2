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
  private static final int TIMESTAMP_AT = 8;
  private static final int TWO_BYTES = 0x3fff;
  private static final long UNUSUAL = -1;

  /** The size -1, of what is null, as it is encoded. */
  private static final byte NULL_SIZE = 1;

  private int headRecordEnd;
  private long headTimestampDelta;

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
    allKeyed = true;
    int at = start;
    for (int i = 0; i < count; i++) {
      long head = end - at < Long.BYTES ? UNUSUAL : usualHead(buffer.getLong(at), i);
      int recordEnd;
      long delta;
      if (head == UNUSUAL) {
        at = readHead(buffer, at, end, i);
        recordEnd = headRecordEnd;
        delta = headTimestampDelta;
      } else {
        recordEnd = at + (int) (head >> POSITION_BITS);
        delta = (head >>> TIMESTAMP_AT) & TWO_BYTES;
        at += (int) head & 0x7f;
      }
      if (at < 0 || recordEnd > end) {
        return false;
      }
      long timestampMs = baseTimestampMs + ((delta >>> 1) ^ -(delta & 1));
      if (timestampMs != NO_TIMESTAMP) {
        oldest = Math.min(oldest, timestampMs);
        newest = Math.max(newest, timestampMs);
      }
      at = skipKeyAndValue(buffer, at, end);
      if (at < 0 || at >= recordEnd) {
        return false;
      }
      at = buffer.get(at) == 0 ? at + 1 : skipHeaders(buffer, at, recordEnd);
      if (at != recordEnd) {
        return false;
      }
      // The same position, known sooner: the next record is read before this one's sizes are added.
      at = recordEnd;
    }
    oldestMs = oldest;
    newestMs = newest;
    return at == end;
  }

  /**
   * A record's length, attributes, timestamp delta and offset delta out of its first eight bytes,
   * where each number takes at most two: the record's size, the timestamp delta as encoded, and the
   * bytes taken, from the top down.
   */
  private static long usualHead(long bigEndian, int index) {
    long word = Long.reverseBytes(bigEndian);
    int length = shortVarint(word);
    int lengthBytes = shortVarintBytes(word);
    long afterAttributes = word >>> (8 * (lengthBytes + 1));
    int delta = shortVarint(afterAttributes);
    int deltaBytes = shortVarintBytes(afterAttributes);
    long last = afterAttributes >>> (8 * deltaBytes);
    if ((length | delta) < 0 || (length & 1) != 0 || shortVarint(last) != index << 1) {
      return UNUSUAL;
    }
    int taken = lengthBytes + 1 + deltaBytes + shortVarintBytes(last);
    return ((long) (lengthBytes + (length >> 1)) << POSITION_BITS)
        | ((long) delta << TIMESTAMP_AT)
        | taken;
  }

  /** A varint of one or two bytes, as encoded, or -1. */
  private static int shortVarint(long word) {
    int low = (int) word & 0x7f;
    if ((word & 0x80) == 0) {
      return low;
    }
    return (word & 0x8000) == 0 ? low | ((int) (word >>> 1) & 0x3f80) : -1;
  }

  private static int shortVarintBytes(long word) {
    return 1 + (int) (word >>> 7 & 1);
  }

  /** Reads the same of any record, byte by byte; where it ends, or -1. */
  private int readHead(ByteBuffer buffer, int start, int end, int index) {
    long read = varint(buffer, start);
    int length = (int) (read >> POSITION_BITS);
    int at = (int) read;
    if (length < 0 || length > end - at) {
      return -1;
    }
    headRecordEnd = at + length;
    at++; // attributes: none are defined
    long delta = 0;
    int shift = 0;
    byte b;
    do {
      b = buffer.get(at++);
      delta |= (long) (b & 0x7f) << shift;
      shift += 7;
    } while (b < 0 && shift <= 63);
    headTimestampDelta = delta;
    read = varint(buffer, at);
    return (b < 0 || (int) (read >> POSITION_BITS) != index) ? -1 : (int) read;
  }

  /** Where a record's value ends, or -1; what its sizes lead to may lie beyond the record. */
  private int skipKeyAndValue(ByteBuffer buffer, int start, int end) {
    byte size = buffer.get(start);
    if (size == NULL_SIZE) {
      allKeyed = false;
      return skipSized(buffer, start + 1, end);
    }
    if ((size & 1) != 0) {
      return -1; // negative, in more bytes than it takes or not allowed at all
    }
    int keyEnd = skipSized(buffer, start, end);
    return keyEnd < 0 ? -1 : skipSized(buffer, keyEnd, end);
  }

  /** Where the bytes end that follow their size, or -1. A size is followed by one byte at least. */
  private static int skipSized(ByteBuffer buffer, int at, int end) {
    int two = Short.reverseBytes(buffer.getShort(at));
    if ((two & 0x8081) == 0x80) { // the usual size: two bytes, not negative
      return at + 2 + (((two & 0x7f) | ((two >> 1) & 0x3f80)) >> 1);
    }
    long read = varint(buffer, at);
    int size = (int) (read >> POSITION_BITS);
    return size < -1 || size > end ? -1 : (int) read + Math.max(size, 0);
  }

  /** Where the headers end, or -1. */
  private static int skipHeaders(ByteBuffer buffer, int start, int recordEnd) {
    long read = varint(buffer, start);
    int headers = (int) (read >> POSITION_BITS);
    int at = (int) read;
    if (headers < 0 || headers > recordEnd - at) {
      return -1;
    }
    for (int i = 0; i < headers; i++) {
      read = varint(buffer, at);
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
