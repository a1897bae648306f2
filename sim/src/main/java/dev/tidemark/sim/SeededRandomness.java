package dev.tidemark.sim;

import dev.tidemark.env.Randomness;
import java.nio.charset.StandardCharsets;

/**
 * A stream of random values from a seed: SplitMix64 (Steele, Lea, Flood 2014), written out here so
 * that a seed means the same on every JVM and in every release.
 */
public final class SeededRandomness implements Randomness {
  private static final long GAMMA = 0x9E3779B97F4A7C15L;
  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  private final long seed;
  private long state;

  public SeededRandomness(long seed) {
    this.seed = seed;
    this.state = seed;
  }

  @Override
  public long nextLong() {
    state += GAMMA;
    return mix(state);
  }

  private static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  @Override
  public int nextInt(int boundExclusive) {
    if (boundExclusive < 1) {
      throw new IllegalArgumentException("The bound must be at least 1, it is " + boundExclusive);
    }
    long range = 1L << Integer.SIZE;
    long fair = range - range % boundExclusive;
    long value = nextLong() >>> Integer.SIZE;
    while (value >= fair) {
      value = nextLong() >>> Integer.SIZE;
    }
    return (int) (value % boundExclusive);
  }

  /** True with this chance in percent. */
  public boolean chance(int percent) {
    return nextInt(100) < percent;
  }

  @Override
  public void nextBytes(byte[] bytes) {
    long value = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (i % Long.BYTES == 0) {
        value = nextLong();
      }
      bytes[i] = (byte) value;
      value >>>= Byte.SIZE;
    }
  }

  @Override
  public SeededRandomness fork(String label) {
    long hash = FNV_OFFSET;
    for (byte b : label.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * FNV_PRIME;
    }
    return new SeededRandomness(mix(seed ^ mix(hash)));
  }
}
