package dev.tidemark.log;

import java.io.IOException;

/**
 * Deletes the oldest segments by age, by size, or because the log start offset has passed them.
 * Only what lies wholly below the high watermark is deleted (KAFKA-5634).
 */
final class Retention {
  private final LogState state;

  Retention(LogState state) {
    this.state = state;
  }

  int deleteOld(long highWatermark) throws IOException {
    int deleted = 0;
    long bytes = state.segments.sizeInBytes();
    while (isDeletable(bytes, highWatermark)) {
      if (state.segments.count() == 1) {
        state.roll(state.logEndOffset);
      }
      Segment oldest = state.segments.first();
      bytes -= oldest.size();
      state.segments.removeFirst();
      state.drop(oldest);
      if (state.snapshots.has(oldest.baseOffset())) {
        state.snapshots.delete(oldest.baseOffset());
      }
      startAtLeastAt(state.segments.first().baseOffset());
      deleted++;
    }
    return deleted;
  }

  private boolean isDeletable(long bytes, long highWatermark) throws IOException {
    Segment oldest = state.segments.first();
    long endOffset = state.segments.endOffset(0, state.logEndOffset);
    if (endOffset > highWatermark || isAllThereIs(oldest)) {
      return false;
    }
    if (isBelowLogStart()) {
      return true;
    }
    LogSettings settings = state.settings;
    return settings.delete()
        && (isTooOld(oldest, settings.retentionMs())
            || (settings.retentionBytes() >= 0
                && bytes - oldest.size() >= settings.retentionBytes()));
  }

  /** An empty log keeps its one empty segment. */
  private boolean isAllThereIs(Segment oldest) {
    return state.segments.count() == 1 && oldest.size() == 0;
  }

  /** True when nobody can read the oldest segment any more, as after DeleteRecords. */
  private boolean isBelowLogStart() {
    return state.segments.endOffset(0, state.logEndOffset) <= state.logStartOffset;
  }

  /**
   * When the oldest segment is to go, wall clock; {@code MIN} now or unknown, {@code MAX} never.
   */
  long dueMs(boolean maySeek) throws IOException {
    LogSettings settings = state.settings;
    Segment oldest = state.segments.first();
    if (isAllThereIs(oldest)) {
      return Long.MAX_VALUE;
    }
    if (isBelowLogStart()) {
      return Long.MIN_VALUE;
    }
    long rest = state.segments.sizeInBytes() - oldest.size();
    if (settings.delete() && settings.retentionBytes() >= 0 && rest >= settings.retentionBytes()) {
      return Long.MIN_VALUE;
    }
    if (!settings.delete() || settings.retentionMs() < 0) {
      return Long.MAX_VALUE;
    }
    if (!maySeek && !oldest.knowsNewest()) {
      return Long.MIN_VALUE;
    }
    long newestMs = oldest.newestMs();
    return newestMs > Long.MAX_VALUE - settings.retentionMs()
        ? Long.MAX_VALUE
        : newestMs + settings.retentionMs();
  }

  private boolean isTooOld(Segment segment, long retentionMs) throws IOException {
    return retentionMs >= 0 && state.clock.wallMs() - segment.newestMs() > retentionMs;
  }

  void advanceStart(long newStart, long highWatermark) throws OffsetOutOfRange, IOException {
    if (newStart > highWatermark || newStart < 0) {
      throw new OffsetOutOfRange(state.id, newStart, state.logStartOffset, highWatermark);
    }
    startAtLeastAt(newStart);
  }

  private void startAtLeastAt(long offset) throws IOException {
    if (offset > state.logStartOffset) {
      state.logStartOffset = offset;
      state.changed = true;
      state.epochs.truncateFromStart(offset);
      state.producers.logStartMovedTo(offset);
      state.writeEpochs();
    }
  }
}
