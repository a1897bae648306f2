package dev.tidemark.quorum;

import dev.tidemark.env.Clock;
import org.apache.kafka.common.utils.Time;

/**
 * Time for raft, which measures its time-outs with the same clock that it writes into records. So
 * it gets the wall clock as it was at the start and the monotonic one from there: a wall clock that
 * is set triggers no election, and records bear a time that is off by as much until a restart.
 */
final class QuorumTime implements Time {
  private final Clock clock;
  private final long wallAheadMs;

  QuorumTime(Clock clock) {
    this.clock = clock;
    this.wallAheadMs = clock.wallMs() - clock.monotonicMs();
  }

  @Override
  public long milliseconds() {
    return wallAheadMs + clock.monotonicMs();
  }

  @Override
  public long nanoseconds() {
    return clock.monotonicNs();
  }

  @Override
  public void sleep(long ms) {
    throw new UnsupportedOperationException("A shard does not sleep");
  }
}
