package dev.tidemark.log;

import dev.tidemark.log.CleaningPlan.LastBatch;
import dev.tidemark.log.CleaningPlan.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What compaction does to a log on its shard: says what may be compacted, and puts segments that
 * were written anew in the place of the old ones.
 */
final class Compaction {
  private final LogState state;
  private final LogReader reader;

  Compaction(LogState state, LogReader reader) {
    this.state = state;
    this.reader = reader;
  }

  /**
   * Whole segments below {@code boundExclusive}, the last stable offset, and below the recovery
   * point: what is compacted was synced.
   */
  @Nullable DirtySection dirtySection(long firstDirty, long boundExclusive) throws IOException {
    long bound = Math.min(boundExclusive, state.flushes.recoveryPoint());
    boolean known = firstDirty >= state.logStartOffset && firstDirty <= state.logEndOffset;
    long first = known ? firstDirty : state.logStartOffset;
    long nowMs = state.clock.wallMs();
    long clean = 0;
    long dirty = 0;
    long end = first;
    boolean overdue = false;
    for (int i = 0; i < state.segments.count() - 1; i++) {
      Segment segment = state.segments.get(i);
      long segmentEnd = state.segments.endOffset(i, state.logEndOffset);
      if (segmentEnd > bound || segment.isDirty() || isTooYoung(segment, nowMs)) {
        break;
      }
      if (segmentEnd <= first) {
        clean += segment.size();
      } else {
        overdue |= dirty == 0 && isOverdue(segment, nowMs);
        dirty += segment.size();
        end = segmentEnd;
      }
    }
    return dirty == 0
        ? null
        : new DirtySection(first, end, clean, dirty, overdue, state.logEndOffset);
  }

  private boolean isTooYoung(Segment segment, long nowMs) throws IOException {
    long lagMs = state.settings.minCompactionLagMs();
    return lagMs > 0 && nowMs - segment.newestMs() < lagMs;
  }

  private boolean isOverdue(Segment segment, long nowMs) throws IOException {
    long lagMs = state.settings.maxCompactionLagMs();
    return lagMs < Long.MAX_VALUE && nowMs - segment.firstMs() > lagMs;
  }

  CleaningPlan plan(DirtySection section) throws IOException {
    List<Source> sources = new ArrayList<>();
    for (int i = 0; i < state.segments.count() - 1; i++) {
      Segment segment = state.segments.get(i);
      long end = state.segments.endOffset(i, state.logEndOffset);
      if (end <= section.endOffsetExclusive() && segment.size() > 0) {
        sources.add(new Source(segment.baseOffset(), segment.size(), end));
      }
    }
    Map<Long, LastBatch> lastBatches = new HashMap<>();
    for (ProducerWindow window : state.producers.sorted()) {
      ProducerWindow.Batch last = window.lastBatch();
      lastBatches.put(
          window.producerId(),
          new LastBatch(last == null ? -1 : last.lastOffset(), window.epoch()));
    }
    return new CleaningPlan(
        state.id,
        state.folder,
        state.settings,
        section,
        sources,
        reader.abortedTransactions(state.segments.first().baseOffset(), state.logEndOffset),
        lastBatches,
        state.clock.wallMs());
  }

  /**
   * Replaces the sources of a segment by it. Names change so that an interruption at any point
   * leaves all old segments or the new one: the new one waits under .swap until the old ones are
   * gone, and the next opening goes on from there.
   *
   * @return false when the log has changed meanwhile: nothing was done
   */
  boolean adopt(CleanedSegment cleaned) throws IOException {
    int first = indexOf(cleaned.sources());
    if (first < 0) {
      return false;
    }
    long base = cleaned.summary().baseOffset();
    for (String suffix : FileNames.OF_SEGMENT) {
      String name = FileNames.of(base, suffix);
      if (state.folder.exists(name + FileNames.CLEANED)) {
        state.folder.rename(name + FileNames.CLEANED, name + FileNames.SWAP);
      }
    }
    int last = first + cleaned.sources().size() - 1;
    long end = state.segments.endOffset(last, state.logEndOffset);
    for (int i = last; i >= first; i--) {
      state.drop(state.segments.get(i));
    }
    for (String suffix : FileNames.OF_SEGMENT) {
      String name = FileNames.of(base, suffix);
      if (state.folder.exists(name + FileNames.SWAP)) {
        state.folder.rename(name + FileNames.SWAP, name);
      }
    }
    state.segments.replace(
        first,
        cleaned.sources().size(),
        Segment.resumed(state.folder, cleaned.summary(), state.clock.wallMs()));
    state.forgetPositions();
    dropSnapshots(end);
    return true;
  }

  /** False when one of them was deleted, cut or replaced since the plan was made. */
  boolean holds(List<Source> sources) {
    for (Source source : sources) {
      int index = state.segments.floor(source.baseOffset());
      if (index < 0
          || state.segments.get(index).baseOffset() != source.baseOffset()
          || state.segments.get(index).size() != source.size()) {
        return false;
      }
    }
    return true;
  }

  private int indexOf(List<Source> sources) {
    int first = state.segments.floor(sources.get(0).baseOffset());
    for (int i = 0; i < sources.size(); i++) {
      int index = first + i;
      if (first < 0 || index >= state.segments.count() - 1) {
        return -1;
      }
      Segment segment = state.segments.get(index);
      if (segment.baseOffset() != sources.get(i).baseOffset()
          || segment.size() != sources.get(i).size()
          || segment.isDirty()) {
        return -1;
      }
    }
    return first;
  }

  /** An old snapshot may show a transaction as open whose marker is gone. */
  private void dropSnapshots(long belowOffset) throws IOException {
    long[] all = state.snapshots.offsets();
    for (long offset : all) {
      if (offset < belowOffset && offset != all[all.length - 1]) {
        state.snapshots.delete(offset);
      }
    }
  }
}
