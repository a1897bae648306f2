package dev.tidemark.env;

/**
 * Time as the core may see it. The wall clock is for what people and records see; it may jump. The
 * monotonic clock is for measuring how long something took; it never goes back, and its zero means
 * nothing.
 */
public interface Clock {
  /** Milliseconds since the Unix epoch. */
  long wallMs();

  /** Nanoseconds since an arbitrary moment; never decreases. */
  long monotonicNs();

  /** {@link #monotonicNs()} in whole milliseconds. */
  default long monotonicMs() {
    return monotonicNs() / 1_000_000;
  }
}
