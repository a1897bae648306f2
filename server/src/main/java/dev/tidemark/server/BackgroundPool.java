package dev.tidemark.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads for slow work, shared by all shards. Tasks of one queue run one after the other in
 * the order of submission. Threads start when there is work and end after some idle seconds, so an
 * idle broker has none. Tasks are never interrupted: an interrupt would close the file they use.
 */
public final class BackgroundPool {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundPool.class);

  private static final long THREAD_IDLE_MS = 10_000;

  /** A stop waits so long for what runs. */
  private static final long MAX_STOP_MS = 10_000;

  private final int maxThreads;
  private final long maxStopMs;
  private final Map<Object, ArrayDeque<Runnable>> queues = new HashMap<>();
  private final ArrayDeque<Object> ready = new ArrayDeque<>();
  private final List<Thread> threads = new ArrayList<>();
  private int idleThreads;
  private int threadCounter;
  private boolean closed;

  /** A pool of at most {@code maxThreads} threads, at least 1. */
  public BackgroundPool(int maxThreads) {
    this(maxThreads, MAX_STOP_MS);
  }

  BackgroundPool(int maxThreads, long maxStopMs) {
    this.maxThreads = maxThreads;
    this.maxStopMs = maxStopMs;
  }

  /**
   * Runs {@code task} after all tasks submitted earlier with an equal {@code queue}. The task must
   * not throw. Without effect after {@link #stop} or {@link #crash}.
   */
  void submit(Object queue, Runnable task) {
    synchronized (this) {
      if (closed) {
        return;
      }
      ArrayDeque<Runnable> tasks = queues.get(queue);
      if (tasks != null) {
        tasks.add(task); // The thread that runs this queue's current task takes it up afterwards.
        return;
      }
      tasks = new ArrayDeque<>();
      tasks.add(task);
      queues.put(queue, tasks);
      ready.add(queue);
      if (idleThreads >= ready.size()) {
        notify();
      } else if (threads.size() < maxThreads) {
        Thread thread = new Thread(this::work, "background-" + threadCounter++);
        threads.add(thread);
        thread.start();
      }
    }
  }

  /**
   * Runs all that was submitted, then ends the threads and waits for them. A disk that hangs never
   * lets go of the thread that asked it, so the wait has an end: ten seconds.
   */
  public void stop() throws InterruptedException {
    List<Thread> running;
    synchronized (this) {
      closed = true;
      running = List.copyOf(threads);
      notifyAll();
    }
    long endNs = System.nanoTime() + maxStopMs * 1_000_000;
    for (Thread thread : running) {
      long leftMs = (endNs - System.nanoTime()) / 1_000_000;
      thread.join(Math.max(1, leftMs));
      if (thread.isAlive()) {
        LOG.error(
            "{} hangs in what it does for a disk; the stop goes on without it", thread.getName());
      }
    }
  }

  /** Drops all that has not begun; what runs goes on to its end unheard. */
  public void crash() {
    synchronized (this) {
      closed = true;
      ready.clear();
      for (ArrayDeque<Runnable> tasks : queues.values()) {
        tasks.clear();
      }
      notifyAll();
    }
  }

  private void work() {
    for (Object queue = nextQueue(); queue != null; queue = nextQueue()) {
      Runnable task = firstOf(queue);
      if (task != null) {
        task.run();
      }
      finished(queue);
    }
  }

  /** Waits for a queue with work; null when this thread is to end. */
  private synchronized @Nullable Object nextQueue() {
    long giveUpNs = System.nanoTime() + THREAD_IDLE_MS * 1_000_000;
    while (ready.isEmpty()) {
      long leftMs = (giveUpNs - System.nanoTime()) / 1_000_000;
      if (closed || leftMs <= 0) {
        threads.remove(Thread.currentThread());
        return null;
      }
      idleThreads++;
      try {
        wait(leftMs);
      } catch (InterruptedException e) {
        LOG.debug("A background thread was interrupted; it goes on.", e);
      } finally {
        idleThreads--;
      }
    }
    return ready.poll();
  }

  private synchronized @Nullable Runnable firstOf(Object queue) {
    ArrayDeque<Runnable> tasks = queues.get(queue);
    return tasks == null ? null : tasks.poll();
  }

  private synchronized void finished(Object queue) {
    ArrayDeque<Runnable> tasks = queues.get(queue);
    if (tasks == null || tasks.isEmpty()) {
      queues.remove(queue);
    } else {
      ready.add(queue);
    }
  }
}
