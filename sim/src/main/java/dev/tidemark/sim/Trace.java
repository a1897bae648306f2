package dev.tidemark.sim;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What happened, in its order, as one number: two runs with equal hashes did the same. Text is made
 * only for who wants to read along.
 */
public final class Trace {
  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  private final @Nullable Consumer<String> reader;
  private long hash = FNV_OFFSET;
  private long events;

  /**
   * A trace that begins now.
   *
   * @param reader gets a line for each event; null for the hash alone
   */
  public Trace(@Nullable Consumer<String> reader) {
    this.reader = reader;
  }

  void add(long nowNs, String where, String what) {
    events++;
    mix(nowNs);
    mix(where);
    mix(what);
    if (reader != null) {
      reader.accept("%,15d us  %s  %s".formatted(nowNs / 1000, where, what));
    }
  }

  private void mix(String text) {
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
  }

  private void mix(long value) {
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      hash = (hash ^ (value >>> shift & 0xff)) * FNV_PRIME;
    }
  }

  /** The hash of all that happened so far. */
  public long hash() {
    return hash;
  }

  /** How much happened so far. */
  public long events() {
    return events;
  }
}
