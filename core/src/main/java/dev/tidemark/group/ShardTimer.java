package dev.tidemark.group;

import dev.tidemark.env.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;

/**
 * Kafka's timer on a shard's timers. Tasks that are due within the same ten milliseconds share one
 * of them. Nearly all tasks are time-outs that are cancelled, which Kafka's classes do not tell:
 * once the entries have doubled, the cancelled ones are looked for and dropped.
 */
final class ShardTimer implements Timer {
  private static final long TICK_MS = 10;

  /** Entries that may be held without a look at whether they are cancelled. */
  private static final int UNSWEPT = 1024;

  private final Shard shard;
  private final Map<Long, List<TimerTaskEntry>> ticks = new TreeMap<>();
  private int size;
  private int sweepAt = UNSWEPT;
  private boolean closed;

  ShardTimer(Shard shard) {
    this.shard = shard;
  }

  @Override
  public void add(TimerTask task) {
    if (closed) {
      return;
    }
    long nowMs = shard.clock().monotonicMs();
    long dueMs = nowMs + Math.max(0, task.delayMs);
    long tick = (dueMs + TICK_MS - 1) / TICK_MS;
    List<TimerTaskEntry> entries = ticks.get(tick);
    if (entries == null) {
      entries = new ArrayList<>(2);
      ticks.put(tick, entries);
      shard.timers().schedule(tick * TICK_MS - nowMs, () -> fire(tick));
    }
    entries.add(new TimerTaskEntry(task, dueMs));
    size++;
    if (size >= sweepAt) {
      sweep();
    }
  }

  private void fire(long tick) {
    List<TimerTaskEntry> entries = ticks.remove(tick);
    if (entries == null || closed) {
      return;
    }
    size -= entries.size();
    for (TimerTaskEntry entry : entries) {
      if (!entry.cancelled()) {
        entry.timerTask.run();
      }
    }
  }

  private void sweep() {
    size = 0;
    for (List<TimerTaskEntry> entries : ticks.values()) {
      entries.removeIf(TimerTaskEntry::cancelled);
      size += entries.size();
    }
    sweepAt = 2 * size + UNSWEPT;
  }

  @Override
  public boolean advanceClock(long timeoutMs) {
    return false; // the shard's timers fire by themselves
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void close() {
    closed = true;
    ticks.clear();
    size = 0;
  }
}
