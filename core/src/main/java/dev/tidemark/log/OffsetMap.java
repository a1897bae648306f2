package dev.tidemark.log;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The latest offset of each key in a part of a log, in a fixed amount of memory: a hash table with
 * open addressing that keeps 16 bytes of the key's SHA-256 instead of the key. No two keys of a
 * topic share them, also not if someone tries to make them.
 */
final class OffsetMap {
  /** Memory for one key. */
  static final int ENTRY_BYTES = 24;

  private static final int MAX_SLOTS = Integer.MAX_VALUE / ENTRY_BYTES;
  private static final int HASH_BYTES = 16;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final ByteBuffer table;
  private final int slots;
  private final int maxKeys;
  private final MessageDigest digest;
  private final byte[] hash = new byte[32];
  private int keys;

  /** Room for {@code maxKeys} keys at {@code loadFactor}, between 0 and 1. */
  OffsetMap(int maxKeys, double loadFactor) {
    this.slots = (int) Math.max(2, Math.min(MAX_SLOTS, Math.ceil(maxKeys / loadFactor)));
    this.maxKeys = Math.min(maxKeys, slots - 1);
    this.table = ByteBuffer.allocate(slots * ENTRY_BYTES);
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every JDK has it
    }
  }

  int size() {
    return keys;
  }

  /** True when no further key fits. */
  boolean isFull() {
    return keys >= maxKeys;
  }

  /** Notes an offset, higher than those before; false when it is a new key and there is no room. */
  boolean put(ByteBuffer key, long offset) {
    int at = find(key);
    if (!isTaken(at)) {
      if (isFull()) {
        return false;
      }
      table.put(at, hash, 0, HASH_BYTES);
      keys++;
    }
    table.putLong(at + HASH_BYTES, offset + 1);
    return true;
  }

  /** The latest offset of the key, -1 when it has none. */
  long get(ByteBuffer key) {
    int at = find(key);
    return isTaken(at) ? table.getLong(at + HASH_BYTES) - 1 : -1;
  }

  private boolean isTaken(int at) {
    return table.getLong(at + HASH_BYTES) != 0;
  }

  /** Where the key stands or would stand. */
  private int find(ByteBuffer key) {
    digest.update(key.duplicate());
    try {
      int unused = digest.digest(hash, 0, hash.length);
    } catch (java.security.DigestException e) {
      throw new AssertionError(e); // the array is long enough
    }
    ByteBuffer words = ByteBuffer.wrap(hash);
    long high = words.getLong(0);
    long low = words.getLong(8);
    int slot = (int) Long.remainderUnsigned(high * GOLDEN, slots);
    while (true) {
      int at = slot * ENTRY_BYTES;
      if (!isTaken(at) || (table.getLong(at) == high && table.getLong(at + 8) == low)) {
        return at;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
  }
}
