package dev.tidemark.sim;

import dev.tidemark.env.Clock;

/** A node's clock: it begins with the node, may run fast or slow, and its wall clock may be off. */
public final class NodeClock implements Clock {
  private static final long NS_PER_MS = 1_000_000;
  private static final long MILLION = 1_000_000;

  private final Scheduler scheduler;
  private final long startWallMs;
  private final int driftPpm;
  private long wallOffsetMs;

  NodeClock(Scheduler scheduler, long startWallMs, int driftPpm) {
    this.scheduler = scheduler;
    this.startWallMs = startWallMs;
    this.driftPpm = driftPpm;
  }

  @Override
  public long wallMs() {
    return startWallMs + wallOffsetMs + monotonicNs() / NS_PER_MS;
  }

  @Override
  public long monotonicNs() {
    long trueNs = scheduler.nowNs();
    return trueNs + trueNs / MILLION * driftPpm;
  }

  /** True time that passes while this clock shows {@code ms} more; at least as long. */
  long trueNs(long ms) {
    return ms * NS_PER_MS + (driftPpm < 0 ? ms * -driftPpm * 2 : 0);
  }

  /** Sets the wall clock forward or back without time passing, as an operator or NTP does. */
  public void jumpWallMs(long ms) {
    wallOffsetMs += ms;
  }
}
