package dev.tidemark.group;

import dev.tidemark.env.Clock;
import org.apache.kafka.common.utils.Time;

/** Kafka's time, read from a shard's clock. Nothing on a shard sleeps. */
record ShardTime(Clock clock) implements Time {
  @Override
  public long milliseconds() {
    return clock.wallMs();
  }

  @Override
  public long hiResClockMs() {
    return clock.monotonicMs();
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
