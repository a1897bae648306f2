package dev.tidemark.broker;

import dev.tidemark.env.Background;
import dev.tidemark.env.Clock;
import dev.tidemark.env.Randomness;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import dev.tidemark.sim.DiskFaults;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualTimers;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A shard on the test's own thread: events wait in a queue, slow work is an event too. */
final class SimShard implements Shard, Background {
  private final ArrayDeque<Runnable> events = new ArrayDeque<>();
  private final Map<String, ArrayDeque<Runnable>> waiting = new TreeMap<>();
  private @Nullable String heldQueues;
  private final VirtualClock clock;
  private final VirtualTimers timers;
  private final Randomness randomness;

  SimShard(VirtualClock clock, long seed) {
    this.clock = clock;
    this.timers = new VirtualTimers(clock);
    this.randomness = new SeededRandomness(seed);
  }

  /** Runs one event; false when there is none. */
  boolean runNext() {
    Runnable event = events.poll();
    if (event == null) {
      return false;
    }
    event.run();
    return true;
  }

  VirtualTimers virtualTimers() {
    return timers;
  }

  /** Work of queues whose name begins so waits from now on. */
  void hold(String queues) {
    heldQueues = queues;
  }

  /** What was held, or hung at a disk, becomes events, each queue in its order. */
  void release() {
    heldQueues = null;
    waiting.values().forEach(events::addAll);
    waiting.clear();
  }

  @Override
  public <T> void run(String queue, Work<T> work, Completion<T> completion) {
    events.add(() -> runWork(queue, work, completion));
  }

  private <T> void runWork(String queue, Work<T> work, Completion<T> completion) {
    if ((heldQueues != null && queue.startsWith(heldQueues)) || waiting.containsKey(queue)) {
      wait(queue, work, completion);
      return;
    }
    T result;
    try {
      result = work.run();
    } catch (DiskFaults.Hangs e) {
      wait(queue, work, completion); // and all that comes behind it
      return;
    } catch (Exception e) {
      events.add(() -> completion.onDone(null, e));
      return;
    }
    events.add(() -> completion.onDone(result, null));
  }

  private <T> void wait(String queue, Work<T> work, Completion<T> completion) {
    waiting
        .computeIfAbsent(queue, key -> new ArrayDeque<>())
        .add(() -> runWork(queue, work, completion));
  }

  @Override
  public String name() {
    return "sim";
  }

  @Override
  public void execute(Runnable event) {
    events.add(event);
  }

  @Override
  public boolean isCurrent() {
    return true;
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public Timers timers() {
    return timers;
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
