package dev.tidemark.log;

import java.util.Arrays;

/**
 * Remembers where some batches begin: the newest ones, and those where a read stopped. Readers at
 * the tail and readers that go on where they were need no index then. A few hundred bytes to a
 * kilobyte, given back when the log idles.
 */
final class PositionCache {
  private static final int SLOTS_LOG2 = 6;
  private static final long EMPTY = -1;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final long[] offsets = new long[1 << SLOTS_LOG2];
  private final int[] positions = new int[1 << SLOTS_LOG2];
  private final long[] segments = new long[1 << SLOTS_LOG2];

  PositionCache() {
    Arrays.fill(offsets, EMPTY);
  }

  private static int slot(long offset) {
    return (int) ((offset * GOLDEN) >>> (Long.SIZE - SLOTS_LOG2));
  }

  /** The batch that begins with {@code offset} begins at {@code position} of that segment. */
  void put(long offset, long segmentBase, int position) {
    int slot = slot(offset);
    offsets[slot] = offset;
    segments[slot] = segmentBase;
    positions[slot] = position;
  }

  /** The position, or -1. */
  int get(long offset, long segmentBase) {
    int slot = slot(offset);
    return offsets[slot] == offset && segments[slot] == segmentBase ? positions[slot] : -1;
  }

  void clear() {
    Arrays.fill(offsets, EMPTY);
  }
}
