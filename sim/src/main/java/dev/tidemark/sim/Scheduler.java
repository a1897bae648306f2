package dev.tidemark.sim;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Virtual time: the events of all nodes in the order of (time, order of scheduling). Nothing runs
 * by itself, and nothing waits: time is that of the event that runs.
 */
public final class Scheduler {
  private static final long NS_PER_MS = 1_000_000;
  private static final Comparator<Event> ORDER =
      Comparator.<Event>comparingLong(event -> event.dueNs)
          .thenComparingLong(event -> event.number);

  private final PriorityQueue<Event> events = new PriorityQueue<>(ORDER);
  private final Trace trace;
  private long eventNs;
  private long spentNs;
  private long scheduled;

  public Scheduler(Trace trace) {
    this.trace = trace;
  }

  /** Something that will happen, unless it is cancelled before. */
  public final class Event {
    private final long dueNs;
    private final long number;
    private final String where;
    private final String what;
    private final Runnable work;

    private Event(long dueNs, long number, String where, String what, Runnable work) {
      this.dueNs = dueNs;
      this.number = number;
      this.where = where;
      this.what = what;
      this.work = work;
    }

    /** Forgets the event; without effect when it has run. */
    public void cancel() {
      events.remove(this);
    }
  }

  /** Nanoseconds since the simulation began, with what the event that runs has taken so far. */
  public long nowNs() {
    return eventNs + spentNs;
  }

  /** The event that runs takes so much longer; what it starts from here on begins later. */
  public void spend(long ns) {
    spentNs += ns;
  }

  /** What has happened so far. */
  public Trace trace() {
    return trace;
  }

  /**
   * Runs {@code work} once, {@code delayNs} (0 or more) from now.
   *
   * @param where the node or link, for the trace
   * @param what a few fixed words, for the trace
   */
  public Event after(long delayNs, String where, String what, Runnable work) {
    if (delayNs < 0) {
      throw new IllegalArgumentException("A delay is 0 or more, it is " + delayNs);
    }
    Event event = new Event(nowNs() + delayNs, scheduled++, where, what, work);
    events.add(event);
    return event;
  }

  /** Runs the next event; false when there is none. */
  public boolean runNext() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    eventNs = next.dueNs;
    trace.add(eventNs, next.where, next.what);
    try {
      next.work.run();
    } finally {
      spentNs = 0;
    }
    return true;
  }

  /** Lets {@code ms} of virtual time pass. */
  public void runForMs(long ms) {
    boolean unused = runUntil(() -> false, ms);
  }

  /**
   * Runs until {@code done} holds; false when {@code limitMs} of virtual time have passed before.
   */
  public boolean runUntil(BooleanSupplier done, long limitMs) {
    long endNs = eventNs + limitMs * NS_PER_MS;
    while (!done.getAsBoolean()) {
      Event next = events.peek();
      if (next == null || next.dueNs > endNs) {
        eventNs = endNs;
        return false;
      }
      runNext();
    }
    return true;
  }
}
