package dev.tidemark.env;

/**
 * A stream of random values owned by one component. It is never shared: a component that needs its
 * own stream forks one, so that one component's draws do not move another's.
 */
public interface Randomness {
  /** Any 64-bit value. */
  long nextLong();

  /** A value from 0 to {@code boundExclusive - 1}; {@code boundExclusive} is at least 1. */
  int nextInt(int boundExclusive);

  /** Fills {@code bytes}. */
  void nextBytes(byte[] bytes);

  /** A new stream that is determined by this stream's origin and {@code label} alone. */
  Randomness fork(String label);
}
