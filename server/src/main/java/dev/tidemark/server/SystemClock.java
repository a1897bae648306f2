package dev.tidemark.server;

import dev.tidemark.env.Clock;

/** The machine's clocks. */
public final class SystemClock implements Clock {
  /** The one instance; it has no state. */
  public static final SystemClock INSTANCE = new SystemClock();

  private SystemClock() {}

  @Override
  public long wallMs() {
    return System.currentTimeMillis();
  }

  @Override
  public long monotonicNs() {
    return System.nanoTime();
  }
}
