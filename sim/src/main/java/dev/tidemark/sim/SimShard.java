package dev.tidemark.sim;

import dev.tidemark.env.Background;
import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A shard in virtual time. It runs one event after the other, each takes a moment, and while it
 * does, later events wait and what it sends leaves only when it has come so far.
 */
public final class SimShard implements Shard, Timers, Background {
  /** An event takes from one to this many microseconds, drawn. */
  private static final int MAX_EVENT_US = 20;

  /** A work in the background takes from one to this many microseconds, drawn. */
  private static final int MAX_WORK_US = 2_000;

  private static final long NS_PER_US = 1_000;

  private final SimNode node;
  private final SimNode.Incarnation process;
  private final String name;
  private final String where;
  private final SeededRandomness randomness;
  private final SeededRandomness durations;
  private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
  private final Map<String, ArrayDeque<Runnable>> queues = new HashMap<>();
  private long busyUntilNs;
  private boolean turnScheduled;
  private boolean frozen;
  private boolean running;

  SimShard(SimNode node, SimNode.Incarnation process, String name, SeededRandomness randomness) {
    this.node = node;
    this.process = process;
    this.name = name;
    this.where = node.host() + "/" + name;
    this.randomness = randomness;
    this.durations = randomness.fork("durations");
  }

  @Override
  public String name() {
    return name;
  }

  SimNode node() {
    return node;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  // --- events ---

  @Override
  public void execute(Runnable event) {
    after(0, "event", event);
  }

  /** Runs {@code event} here, {@code delayNs} after the moment that the caller has come to. */
  void after(long delayNs, String what, Runnable event) {
    var unused = later(delayNs, what, event);
  }

  private Scheduler.Event later(long delayNs, String what, Runnable event) {
    return node.scheduler().after(delayNs, where, what, () -> add(event));
  }

  private void add(Runnable event) {
    if (process.isAlive()) {
      ready.add(event);
      scheduleTurn();
    }
  }

  private void scheduleTurn() {
    if (!turnScheduled && !frozen && !ready.isEmpty()) {
      turnScheduled = true;
      long waitNs = Math.max(0, busyUntilNs - node.scheduler().nowNs());
      var unused = node.scheduler().after(waitNs, where, "turn", this::turn);
    }
  }

  private void turn() {
    turnScheduled = false;
    if (!process.isAlive() || frozen) {
      return;
    }
    Runnable event = ready.remove();
    running = true;
    node.scheduler().spend(NS_PER_US * (1 + durations.nextInt(MAX_EVENT_US)));
    try {
      event.run();
    } finally {
      busyUntilNs = node.scheduler().nowNs();
      running = false;
    }
    scheduleTurn();
  }

  void freeze() {
    frozen = true;
  }

  void wake() {
    frozen = false;
    scheduleTurn();
  }

  @Override
  public boolean isCurrent() {
    return running;
  }

  // --- timers ---

  @Override
  public Timer schedule(long delayMs, Runnable task) {
    if (delayMs < 0) {
      throw new IllegalArgumentException("A delay is 0 or more, it is " + delayMs);
    }
    ShardTimer timer = new ShardTimer(task);
    timer.event = later(node.clock().trueNs(delayMs), "timer", timer::run);
    return timer;
  }

  /** A timer that came due while the shard was busy may still be cancelled. */
  private static final class ShardTimer implements Timer {
    private @Nullable Runnable task;
    private Scheduler.@Nullable Event event;

    ShardTimer(Runnable task) {
      this.task = task;
    }

    void run() {
      Runnable due = task;
      task = null;
      if (due != null) {
        due.run();
      }
    }

    @Override
    public void cancel() {
      task = null;
      if (event != null) {
        event.cancel();
      }
    }
  }

  // --- background ---

  @Override
  public <T> void run(String queue, Work<T> work, Completion<T> completion) {
    ArrayDeque<Runnable> waiting = queues.computeIfAbsent(queue, key -> new ArrayDeque<>());
    waiting.add(() -> runWork(queue, work, completion));
    if (waiting.size() == 1) {
      startWork(queue);
    }
  }

  private void startWork(String queue) {
    ArrayDeque<Runnable> waiting = queues.get(queue);
    Runnable first = waiting == null ? null : waiting.peek();
    if (first != null) {
      long tookNs = NS_PER_US * (1 + durations.nextInt(MAX_WORK_US));
      var unused = node.scheduler().after(tookNs, where, "work", first);
    }
  }

  private <T> void runWork(String queue, Work<T> work, Completion<T> completion) {
    if (!process.isAlive()) {
      return;
    }
    T result = null;
    Exception failure = null;
    try {
      result = work.run();
    } catch (Exception e) {
      failure = e;
    }
    T done = result;
    Exception failed = failure;
    execute(() -> completion.onDone(done, failed));
    ArrayDeque<Runnable> waiting = queues.get(queue);
    if (waiting != null) {
      waiting.remove();
      startWork(queue);
    }
  }

  @Override
  public Clock clock() {
    return node.clock();
  }

  @Override
  public Timers timers() {
    return this;
  }

  @Override
  public Background background() {
    return this;
  }

  @Override
  public Randomness randomness() {
    return randomness;
  }
}
