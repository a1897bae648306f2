package dev.tidemark.log;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import java.util.List;

/** Makes a log of what is known of it, without a look at its files. */
final class LogResumption {
  private LogResumption() {}

  /**
   * @param cleanStop true when all of it was synced
   * @throws CorruptLog when the summary contradicts itself
   */
  static LogState resume(
      LogId id,
      Directory folder,
      LogSettings settings,
      LogSummary left,
      boolean cleanStop,
      Clock clock)
      throws CorruptLog {
    LogState state = new LogState(id, folder, settings, clock);
    long nowMs = clock.wallMs();
    for (SegmentSummary segment : left.segments) {
      state.segments.add(Segment.resumed(folder, segment, nowMs));
    }
    state.logStartOffset = left.logStartOffset;
    state.logEndOffset = left.logEndOffset;
    state.epochs = LeaderEpochs.of(left.epochs);
    for (long snapshot : left.snapshots) {
      state.snapshots.found(snapshot);
    }
    restoreProducers(state, left);
    if (cleanStop) {
      state.flushes.startAt(left.logEndOffset);
    } else {
      state.flushes.startAt(left.syncedEndOffset, left.recoveryPoint);
      markUnsynced(state, left);
    }
    state.changed = !cleanStop;
    return state;
  }

  private static void restoreProducers(LogState state, LogSummary left) throws CorruptLog {
    if (left.producers.length == 0) {
      return;
    }
    List<ProducerWindow> windows = ProducerSnapshot.parse(left.producers);
    if (windows == null) {
      throw new CorruptLog("What was kept of the producers of " + state.id + " is damaged");
    }
    windows.forEach(state.producers::restore);
    state.producers.expire(state.clock.wallMs(), state.settings.producerIdExpirationMs());
  }

  /** What the process before had not synced is still to be synced, and the epochs with it. */
  private static void markUnsynced(LogState state, LogSummary left) {
    for (int i = 0; i < state.segments.count(); i++) {
      if (state.segments.endOffset(i, left.logEndOffset) > left.syncedEndOffset) {
        state.segments.get(i).markDirty();
        state.unsynced.noteNamesChanged();
        state.epochs.markChanged();
      }
    }
  }
}
