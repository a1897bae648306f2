package dev.tidemark.env;

/**
 * One thread's worth of the broker: it owns partitions and connections, and runs every event to its
 * end before the next, so nothing it owns needs a lock.
 */
public interface Shard {
  /** The name for threads, logs and metrics. */
  String name();

  /** Runs {@code event} on this shard after those queued before it. Callable from any thread. */
  void execute(Runnable event);

  /** True when the caller is an event of this shard. */
  boolean isCurrent();

  Clock clock();

  Timers timers();

  Background background();

  Randomness randomness();
}
