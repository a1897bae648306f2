package dev.tidemark.protocol;

import java.nio.ByteBuffer;

/**
 * Reads how large snappy data claims to become, because the decoder believes it and allocates that
 * much. No snappy data grows by more than about 21 times, so a larger claim is a lie. Both forms
 * are known that clients send: one raw block, or blocks in snappy-java's framing.
 */
final class SnappyLengths {
  private static final long FRAMING_MAGIC = 0x82534E4150505900L;
  private static final int FRAMING_HEADER_BYTES = 16;
  private static final int MAX_GROWTH = 32;
  private static final int SMALL_BYTES = 1 << 16;

  private SnappyLengths() {}

  /** True when every block of the payload, from position to limit, claims a possible size. */
  static boolean arePossible(ByteBuffer payload) {
    int at = payload.position();
    int end = payload.limit();
    if (end - at < FRAMING_HEADER_BYTES || payload.getLong(at) != FRAMING_MAGIC) {
      return isPossible(payload, at, end - at);
    }
    at += FRAMING_HEADER_BYTES;
    while (end - at >= Integer.BYTES) {
      int length = payload.getInt(at);
      at += Integer.BYTES;
      if (length < 0 || length > end - at || !isPossible(payload, at, length)) {
        return false;
      }
      at += length;
    }
    return true;
  }

  private static boolean isPossible(ByteBuffer payload, int start, int length) {
    long claimed = 0;
    int end = start + length;
    int shift = 0;
    for (int at = start; at < end && shift < Integer.SIZE; at++) {
      byte b = payload.get(at);
      claimed |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return claimed <= (long) length * MAX_GROWTH + SMALL_BYTES;
      }
      shift += 7;
    }
    return length == 0;
  }
}
