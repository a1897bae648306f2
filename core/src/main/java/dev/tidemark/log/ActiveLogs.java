package dev.tidemark.log;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs of one shard that something was done with lately. Periodic work looks at these only, so
 * that a log that idles costs no time. A log comes in when it is used or when something falls due,
 * and leaves when nothing is open, unsaved or unsynced that ought not to be.
 *
 * <p>Of those that have files open there are never more than a bound: the one that was not used for
 * longest closes its files when another opens some (second chance instead of exact order, so that a
 * use costs no more than a mark).
 */
public final class ActiveLogs {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveLogs.class);

  private final int maxOpen;
  private final List<PartitionLog> active = new ArrayList<>();
  private final ArrayDeque<PartitionLog> open = new ArrayDeque<>();
  private final TreeSet<Due> due = new TreeSet<>();
  private final Set<PartitionLog> uncompacted = new LinkedHashSet<>();
  private long dueCounter;

  /** {@code maxOpen}: how many logs may have files open at once, at least 1. */
  public ActiveLogs(int maxOpen) {
    this.maxOpen = maxOpen;
  }

  /** When a log that idles is to be looked at again. */
  static final class Due implements Comparable<Due> {
    private final PartitionLog log;
    private final long dueMs;
    private final long order;

    private Due(PartitionLog log, long dueMs, long order) {
      this.log = log;
      this.dueMs = dueMs;
      this.order = order;
    }

    @Override
    public int compareTo(Due other) {
      int byTime = Long.compare(dueMs, other.dueMs);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Due that && that.order == order && that.dueMs == dueMs;
    }

    @Override
    public int hashCode() {
      return Objects.hash(dueMs, order);
    }
  }

  void onUsed(PartitionLog log, boolean isNew) {
    if (open.size() >= maxOpen) {
      closeLongestUnused();
    }
    open.add(log);
    if (isNew) {
      active.add(log);
    }
  }

  private void closeLongestUnused() {
    for (int left = open.size(); left > 0; left--) {
      PartitionLog candidate = open.remove();
      boolean spared = candidate.use().takeLately() && left > 1;
      if (!spared && candidate.use().closeFiles(true)) {
        return;
      }
      open.add(candidate);
    }
  }

  /** Closes files that nobody used since the last call. */
  public void closeIdle() {
    for (int left = open.size(); left > 0; left--) {
      PartitionLog log = open.remove();
      boolean unused = log.use().takeLately();
      if (!log.use().closeFiles(false)) {
        open.add(log);
      }
    }
  }

  /** Those that were used lately, in the order in which they came. */
  public List<PartitionLog> all() {
    return List.copyOf(active);
  }

  /** How many logs may have files open now. */
  public int openCount() {
    return open.size();
  }

  /** Lets go of the logs that need nothing until something falls due or they are used again. */
  public void dismissResting() {
    active.removeIf(
        log -> {
          boolean leaves = log.use().leaveIfResting();
          if (leaves) {
            schedule(log, true);
            noteIfCompacted(log);
          }
          return leaves;
        });
  }

  /** Takes in a log that was just opened: looked at only when something falls due. */
  public void add(PartitionLog log) {
    log.use().track(this);
    schedule(log, false);
    noteIfCompacted(log);
  }

  private void noteIfCompacted(PartitionLog log) {
    if (log.settings().compact()) {
      uncompacted.add(log);
    }
  }

  /**
   * Logs of compacted topics that came in, or went to rest, since this was last asked. With those
   * that are active now they are all that may have changed.
   */
  public List<PartitionLog> takeUncompacted() {
    List<PartitionLog> taken = List.copyOf(uncompacted);
    uncompacted.clear();
    return taken;
  }

  /** Forgets a log that is closed. */
  public void remove(PartitionLog log) {
    Due queued = log.use().due();
    if (queued != null) {
      due.remove(queued);
    }
    log.use().track(null);
    uncompacted.remove(log);
    active.remove(log);
    open.remove(log);
  }

  private void schedule(PartitionLog log, boolean maySeek) {
    long dueMs;
    try {
      dueMs = log.use().nextDueMs(maySeek);
    } catch (IOException e) {
      LOG.warn("When {} needs work next cannot be told: {}", log.id(), e.getMessage());
      dueMs = Long.MIN_VALUE;
    }
    Due queued = log.use().due();
    if (queued != null && queued.dueMs <= dueMs) {
      return; // it is asked again then
    }
    if (queued != null) {
      due.remove(queued);
    }
    Due next = dueMs == Long.MAX_VALUE ? null : new Due(log, dueMs, dueCounter++);
    if (next != null) {
      due.add(next);
    }
    log.use().setDue(next);
  }

  /** Takes in those for which something has fallen due. */
  public void activateDue(long wallMs) {
    while (!due.isEmpty() && due.first().dueMs <= wallMs) {
      PartitionLog log = Objects.requireNonNull(due.pollFirst()).log;
      log.use().setDue(null);
      if (log.use().activate()) {
        active.add(log);
      }
    }
  }
}
