package dev.tidemark.log;

import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The syncs of a log: what is unsynced, which syncs are under way, and up to where all is synced.
 * Syncs may end in any order; the synced end moves only over those that ended in order.
 */
final class Flushes {
  /** Shared by all logs that sync nothing; never written to. */
  private static final Deque<LogFlush> NONE = new ArrayDeque<>(0);

  private final LogState state;
  private Deque<LogFlush> underWay = NONE;
  private long syncedEndOffset;
  private long recoveryPoint;
  private long unsyncedSinceMs = -1;
  private boolean sealedUnsynced;

  /** Syncs that began before a truncation and prove nothing any more. */
  private List<LogFlush> outdated = List.of();

  Flushes(LogState state) {
    this.state = state;
  }

  long syncedEndOffset() {
    return syncedEndOffset;
  }

  long recoveryPoint() {
    return recoveryPoint;
  }

  void startAt(long offset) {
    startAt(offset, offset);
  }

  void startAt(long synced, long recoverFrom) {
    syncedEndOffset = synced;
    recoveryPoint = recoverFrom;
  }

  void noteAppend(long monotonicMs) {
    if (unsyncedSinceMs < 0) {
      unsyncedSinceMs = monotonicMs;
    }
  }

  void noteSealed() {
    sealedUnsynced = true;
  }

  boolean isUnderWay() {
    return !underWay.isEmpty();
  }

  boolean isDue(LogSettings settings, long monotonicMs) {
    long unsynced = state.logEndOffset - syncedEndOffset;
    return sealedUnsynced
        || (unsynced > 0 && unsynced >= settings.flushMessages())
        || (unsyncedSinceMs >= 0 && monotonicMs - unsyncedSinceMs >= settings.flushMs());
  }

  /** Syncs what the syncs under way are to sync, or waits for them. Blocks. */
  void completeAll() throws IOException {
    for (LogFlush flush : List.copyOf(underWay)) {
      flush.syncFiles();
      finish(flush, null);
    }
  }

  LogFlush prepare() throws IOException {
    List<Segment> segments = new ArrayList<>(1);
    List<LogFile> files = new ArrayList<>(2);
    for (int i = 0; i < state.segments.count(); i++) {
      Segment segment = state.segments.get(i);
      if (segment.isDirty()) {
        files.addAll(segment.takeUnsynced());
        segments.add(segment);
      }
    }
    state.writeEpochs();
    LogFlush flush =
        new LogFlush(
            state.logEndOffset,
            nextRecoveryPoint(),
            segments,
            files,
            state.folder,
            state.unsynced.take(),
            state.unsynced.takeNamesChanged());
    unsyncedSinceMs = -1;
    sealedUnsynced = false;
    if (underWay == NONE) {
      underWay = new ArrayDeque<>(1);
    }
    underWay.add(flush);
    return flush;
  }

  /**
   * The indexes of the active segment are not synced. If it rolls right here, a recovery from its
   * end would take them on trust; so the recovery point stays within it.
   */
  private long nextRecoveryPoint() {
    boolean withinActive = state.segments.active().size() > 0;
    return withinActive ? state.logEndOffset - 1 : state.logEndOffset;
  }

  /** Something else made all durable that was written. */
  void allSynced() {
    syncedEndOffset = state.logEndOffset;
    recoveryPoint = Math.max(recoveryPoint, nextRecoveryPoint());
    unsyncedSinceMs = -1;
    sealedUnsynced = false;
    state.changed = true;
  }

  /** Takes in the end of a sync; returns false when it failed. */
  boolean finish(LogFlush flush, @Nullable Throwable failure) throws IOException {
    flush.finish();
    if (failure != null) {
      underWay.remove(flush);
      forgetEmpty();
      return false;
    }
    LogFlush first = underWay.peek();
    while (first != null && first.isDone()) {
      underWay.remove();
      if (!outdated.contains(first)) {
        syncedEndOffset = Math.max(syncedEndOffset, first.endOffset());
        recoveryPoint = Math.max(recoveryPoint, first.recoveryPoint());
        state.changed = true;
      }
      first = underWay.peek();
    }
    forgetEmpty();
    return true;
  }

  private void forgetEmpty() {
    if (underWay.isEmpty()) {
      underWay = NONE;
      outdated = List.of();
    }
  }

  /** The log ends at {@code offset} now, and that is durable. */
  void truncated(long offset) {
    syncedEndOffset = Math.min(syncedEndOffset, offset);
    recoveryPoint = Math.min(recoveryPoint, nextRecoveryPoint());
    for (LogFlush flush : underWay) {
      flush.repeat();
    }
    outdated = List.copyOf(underWay);
  }
}
