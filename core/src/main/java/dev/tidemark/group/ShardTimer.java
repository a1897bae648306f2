package dev.tidemark.group;

import dev.tidemark.env.Shard;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;
import org.apache.kafka.server.util.timer.TimerTaskList;

/**
 * Kafka's timer on a shard's timers. Tasks that are due within the same ten milliseconds share one
 * of them, in a list of Kafka's from which a cancelled task vanishes at once: nearly all of them
 * are time-outs that are cancelled.
 */
final class ShardTimer implements Timer {
  private static final long TICK_MS = 10;

  private final Shard shard;
  private final Time time;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<Long, TimerTaskList> lists = new HashMap<>();
  private boolean closed;

  ShardTimer(Shard shard, Time time) {
    this.shard = shard;
    this.time = time;
  }

  @Override
  public void add(TimerTask task) {
    if (closed) {
      return;
    }
    long nowMs = shard.clock().monotonicMs();
    long dueMs = nowMs + Math.max(0, task.delayMs);
    long tick = (dueMs + TICK_MS - 1) / TICK_MS;
    TimerTaskList list = lists.get(tick);
    if (list == null) {
      list = new TimerTaskList(count, time);
      lists.put(tick, list);
      shard.timers().schedule(tick * TICK_MS - nowMs, () -> fire(tick));
    }
    list.add(new TimerTaskEntry(task, dueMs));
  }

  private void fire(long tick) {
    TimerTaskList list = lists.remove(tick);
    if (list != null && !closed) {
      list.flush(
          entry -> {
            if (!entry.cancelled()) {
              entry.timerTask.run();
            }
          });
    }
  }

  @Override
  public boolean advanceClock(long timeoutMs) {
    return false; // the shard's timers fire by themselves
  }

  @Override
  public int size() {
    return count.get();
  }

  @Override
  public void close() {
    closed = true;
    lists.clear();
  }
}
