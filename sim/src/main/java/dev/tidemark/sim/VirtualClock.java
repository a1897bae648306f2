package dev.tidemark.sim;

import dev.tidemark.env.Clock;

/** A clock that stands still until it is moved. */
public final class VirtualClock implements Clock {
  private static final long NS_PER_MS = 1_000_000;

  private long wallMs;
  private long monotonicNs;

  public VirtualClock(long wallMs) {
    this.wallMs = wallMs;
  }

  @Override
  public long wallMs() {
    return wallMs;
  }

  @Override
  public long monotonicNs() {
    return monotonicNs;
  }

  /** Lets time pass on both clocks; {@code ms} is 0 or more. */
  public void advanceMs(long ms) {
    if (ms < 0) {
      throw new IllegalArgumentException(
          "Time does not go back, it was asked to by " + -ms + " ms");
    }
    wallMs += ms;
    monotonicNs += ms * NS_PER_MS;
  }

  /** Sets the wall clock forward or back without time passing, as an operator or NTP does. */
  public void jumpWallMs(long ms) {
    wallMs += ms;
  }
}
