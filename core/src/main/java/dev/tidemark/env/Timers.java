package dev.tidemark.env;

/**
 * Timers of one shard. A task runs on the shard that scheduled it, never earlier than asked, in the
 * order of (due time, order of scheduling). Not promised: that it runs on time.
 */
public interface Timers {
  /** Runs {@code task} once, {@code delayMs} (0 or more) from now. */
  Timer schedule(long delayMs, Runnable task);

  /** A scheduled task. */
  interface Timer {
    /** Forgets the task; without effect when it has run or was cancelled before. */
    void cancel();
  }
}
