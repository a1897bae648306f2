package dev.tidemark.log;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts a log's tail. Each step is ordered and synced so that a power loss at any point leaves a
 * whole prefix of the log: names from the end on, then the file, then what follows from the
 * batches.
 */
final class Truncation {
  private static final Logger LOG = LoggerFactory.getLogger(Truncation.class);

  private final LogState state;

  Truncation(LogState state) {
    this.state = state;
  }

  void truncateTo(long offset) throws IOException {
    if (offset >= state.logEndOffset) {
      // Also without a record to cut a conflicting epoch must go, or a follower asks for ever.
      state.epochs.truncateFromEnd(offset);
      state.writeEpochs();
      return;
    }
    if (offset < state.segments.first().baseOffset()) {
      truncateFullyAndStartAt(offset);
      return;
    }
    LOG.info(
        "[Log partition={}, dir={}] Truncating to offset {}",
        state.id,
        state.folder.path(),
        offset);
    state.snapshots.deleteAbove(offset);
    boolean dropped = false;
    while (state.segments.active().baseOffset() > offset) {
      dropLast();
      dropped = true;
    }
    if (dropped) {
      state.folder.sync();
    }
    long end = cutActive(offset);
    boolean hadProducers = !state.producers.isEmpty();
    endAt(end);
    if (hadProducers) {
      new ProducerReplay(state, false).run(end);
    }
  }

  /** Cuts the active segment; the log ends with whole batches, so perhaps before the offset. */
  private long cutActive(long offset) throws IOException {
    Segment active = state.segments.active();
    int position = active.positionOf(offset);
    if (position == active.size()) {
      active.truncate(position, offset);
      return offset;
    }
    BatchScanner scanner = active.near(position);
    if (!scanner.next()) {
      throw new CorruptLog(active.path() + " holds no batch at position " + position);
    }
    long base = scanner.header().baseOffset();
    active.truncate(position, base);
    return Math.min(base, offset);
  }

  private void dropLast() throws IOException {
    Segment last = state.segments.active();
    state.segments.removeLast();
    state.drop(last);
  }

  /** An empty log that begins and ends at {@code offset}. */
  void truncateFullyAndStartAt(long offset) throws IOException {
    LOG.info(
        "[Log partition={}, dir={}] Truncate and start at offset {}",
        state.id,
        state.folder.path(),
        offset);
    state.snapshots.deleteAll();
    while (state.segments.count() > 1) {
      dropLast();
    }
    state.folder.sync();
    Segment last = state.segments.first();
    if (last.baseOffset() == offset) {
      last.truncate(0, offset);
    } else {
      dropLast();
      state.folder.sync();
      state.startSegment(offset);
    }
    state.producers.clear();
    state.epochs.clear();
    state.logStartOffset = offset;
    endAt(offset);
  }

  private void endAt(long offset) throws IOException {
    state.logEndOffset = offset;
    state.cleanEnd.cutTo(offset);
    state.changed = true;
    state.logStartOffset = Math.min(state.logStartOffset, offset);
    state.epochs.truncateFromEnd(offset);
    state.forgetPositions();
    state.flushes.truncated(offset);
    state.writeEpochs();
    for (String name : state.unsynced.take()) {
      state.folder.syncFile(name);
    }
    state.unsynced.takeNamesChanged();
    state.folder.sync();
  }
}
