package dev.tidemark.sim;

import dev.tidemark.env.Timers;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Timers over a {@link VirtualClock}. Nothing runs by itself: whoever drives the simulation lets
 * time pass, and tasks run in the order of (due time, order of scheduling).
 */
public final class VirtualTimers implements Timers {
  private static final Comparator<Task> ORDER =
      Comparator.<Task>comparingLong(task -> task.dueMs).thenComparingLong(task -> task.number);

  private final VirtualClock clock;
  private final PriorityQueue<Task> tasks = new PriorityQueue<>(ORDER);
  private long scheduled;

  public VirtualTimers(VirtualClock clock) {
    this.clock = clock;
  }

  @Override
  public Timer schedule(long delayMs, Runnable task) {
    if (delayMs < 0) {
      throw new IllegalArgumentException("A delay is 0 or more, it is " + delayMs);
    }
    Task entry = new Task(clock.monotonicMs() + delayMs, scheduled++, task);
    tasks.add(entry);
    return entry;
  }

  /** How long until the next task is due in milliseconds; -1 when there is none. */
  public long untilNextMs() {
    Task next = tasks.peek();
    return next == null ? -1 : Math.max(0, next.dueMs - clock.monotonicMs());
  }

  /** Moves time to the next task and runs it; false when there is none. */
  public boolean runNext() {
    long untilNextMs = untilNextMs();
    if (untilNextMs < 0) {
      return false;
    }
    clock.advanceMs(untilNextMs);
    Task next = tasks.remove();
    next.work.run();
    return true;
  }

  /** Lets {@code ms} pass and runs what becomes due meanwhile, each at its own time. */
  public void advanceMs(long ms) {
    long endMs = clock.monotonicMs() + ms;
    long untilNextMs = untilNextMs();
    while (untilNextMs >= 0 && clock.monotonicMs() + untilNextMs <= endMs) {
      runNext();
      untilNextMs = untilNextMs();
    }
    clock.advanceMs(Math.max(0, endMs - clock.monotonicMs()));
  }

  /** Number of tasks that wait. */
  public int size() {
    return tasks.size();
  }

  private final class Task implements Timer {
    private final long dueMs;
    private final long number;
    private final Runnable work;

    Task(long dueMs, long number, Runnable work) {
      this.dueMs = dueMs;
      this.number = number;
      this.work = work;
    }

    @Override
    public void cancel() {
      tasks.remove(this);
    }
  }
}
