package dev.tidemark.broker;

import dev.tidemark.env.Timers;
import dev.tidemark.log.LogId;
import dev.tidemark.metadata.Reply;
import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has cluster metadata name the folders where partitions were found, of which it named others.
 * Without that a later start without their disk would make them anew where they never were. One
 * after the other, so that thousands hold up nobody. Owned by the data shard.
 */
final class AssignmentCorrections {
  private static final Logger LOG = LoggerFactory.getLogger(AssignmentCorrections.class);

  /** After a failure; twice as long after each further one, up to the longest. */
  static final long FIRST_PAUSE_MS = 500;

  static final long LONGEST_PAUSE_MS = 30_000;

  private final LedPartitionCalls calls;
  private final Predicate<LogId> moves;
  private final Timers timers;
  private final ArrayDeque<Found> waiting = new ArrayDeque<>(0);
  private long pauseMs = FIRST_PAUSE_MS;
  private boolean busy;
  private boolean stopped;

  private record Found(LogId id, DataFolder folder) {}

  /** {@code moves} is true of a partition that moves, which says itself where it lies. */
  AssignmentCorrections(LedPartitionCalls calls, Predicate<LogId> moves, Timers timers) {
    this.calls = calls;
    this.moves = moves;
    this.timers = timers;
  }

  /** Notes where a partition lies, if that is not where metadata says. */
  void found(AssignedLog assigned, DataFolder folder) {
    if (!folder.directoryId().equals(assigned.directoryId())) {
      waiting.add(new Found(assigned.id(), folder));
    }
  }

  /** Tells the controller of what was noted, without waiting. */
  void tell() {
    if (busy || stopped) {
      return;
    }
    Found next = waiting.poll();
    while (next != null && (!next.folder().holds(next.id()) || moves.test(next.id()))) {
      next = waiting.poll();
    }
    if (next != null) {
      busy = true;
      assign(next);
    }
  }

  private void assign(Found one) {
    calls.assign(
        one.id(),
        one.folder().directoryId(),
        new Reply<>() {
          @Override
          public void succeed(Uuid directoryId) {
            LOG.info("{} is assigned to {} now", one.id(), one.folder().directory().path());
            pauseMs = FIRST_PAUSE_MS;
            goOn();
          }

          @Override
          public void fail(Throwable cause) {
            LOG.warn(
                "{} was not assigned to {}, where it lies; again in {} ms: {}",
                one.id(),
                one.folder().directory().path(),
                pauseMs,
                cause.getMessage());
            waiting.addLast(one);
            timers.schedule(pauseMs, AssignmentCorrections.this::goOn);
            pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
          }
        });
  }

  /** Nothing more is told; the next start finds the same. */
  void stop() {
    stopped = true;
  }

  private void goOn() {
    busy = false;
    tell();
  }
}
