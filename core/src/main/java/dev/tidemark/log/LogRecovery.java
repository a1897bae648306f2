package dev.tidemark.log;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.env.LogFile;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens what is in a folder. After a clean stop only sizes and the end of the last segment are
 * looked at. Otherwise everything from the recovery point on is read and checked: the log ends
 * where whole, valid, gapless batches end, and the indexes are built anew. What lies below the
 * recovery point was synced, so damage there is the disk's and is never cut away silently.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final LogState state;
  private final LogOpening opening;
  private final LogFolder files;

  private boolean epochsContradictBatches;

  private LogRecovery(LogState state, LogOpening opening, LogFolder files) {
    this.state = state;
    this.opening = opening;
    this.files = files;
  }

  static LogState open(
      LogId id, Directory folder, LogSettings settings, LogOpening opening, Clock clock)
      throws IOException {
    if (opening.appendsSynced()) {
      folder.create();
      SyncedLogCheck.LastBatch last = SyncedLogCheck.run(folder);
      if (opening.cleanStop()) {
        requireWhole(folder, last.endOffset(), opening.recoveryPoint());
      } else {
        // The process before may have died of a failed sync, so the last batch counts as unsynced.
        UnsyncedRewrite.run(folder, last.baseOffset(), last.position());
      }
    }
    if (opening.afterFailure()) {
      folder.create();
      UnsyncedRewrite.run(folder, opening.recoveryPoint(), 0);
    }
    LogState state = new LogState(id, folder, settings, clock);
    try {
      LogFolder files = LogFolder.tidy(id, folder, state.unsynced);
      new LogRecovery(state, opening, files).run();
      return state;
    } catch (IOException | RuntimeException e) {
      try {
        state.closeFiles();
      } catch (IOException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  /** No write was under way when the log was closed, so there is none that may be cut off. */
  private static void requireWhole(Directory folder, long endOffset, long endOffsetAtStop)
      throws CorruptLog {
    if (endOffset < endOffsetAtStop) {
      throw new CorruptLog(
          "%s ends at offset %d, but ended at %d when it was closed in order: it was cut or replaced since. Nothing was changed. Restore the folder from a copy."
              .formatted(folder.path(), endOffset, endOffsetAtStop));
    }
  }

  private void run() throws IOException {
    for (long offset : files.snapshots()) {
      state.snapshots.found(offset);
    }
    for (long base : files.segments()) {
      long bytes = state.folder.size(FileNames.of(base, FileNames.LOG));
      if (bytes > Integer.MAX_VALUE) {
        throw new CorruptLog(
            state.folder.path()
                + "/"
                + FileNames.of(base, FileNames.LOG)
                + " has "
                + bytes
                + " bytes, more than any segment: it is not a file of this log. Move it away.");
      }
      state.segments.add(new Segment(state.folder, base, (int) bytes, state.clock.wallMs()));
    }
    boolean isNew = state.segments.count() == 0;
    if (isNew) {
      // Its file is made with the first records.
      state.logEndOffset = opening.logStartOffset();
      state.segments.add(new Segment(state.folder, state.logEndOffset, 0, state.clock.wallMs()));
    } else if (!opening.cleanStop()) {
      state.unsynced.noteNamesChanged();
    }
    loadEpochs();
    if (isNew) {
      LOG.debug("{} is empty", state.id);
    } else if (opening.cleanStop()) {
      openClean();
    } else {
      recoverFrom(Math.max(0, state.segments.floor(opening.recoveryPoint())));
    }
    settleOffsets();
    settleEpochs();
    settleProducers();
    releaseFiles();
  }

  // --- segments ---

  private void openClean() throws IOException {
    int last = state.segments.count() - 1;
    for (int i = 0; i < last; i++) {
      if (!state.segments.get(i).indexesLookWhole()) {
        LOG.warn("The indexes of {} do not hold and are rebuilt", state.segments.get(i).path());
        rebuild(i, true);
      }
    }
    Segment active = state.segments.active();
    boolean trusted = active.size() == 0 || active.indexesLookWhole();
    long end = trusted ? active.findEnd(state.settings.indexIntervalBytes()) : -1;
    if (end >= 0) {
      state.logEndOffset = end;
    } else {
      LOG.warn(
          "{} does not end as it should after a clean stop; it is read from its begin",
          active.path());
      rebuild(last, false);
    }
  }

  private void recoverFrom(int first) throws IOException {
    for (int i = 0; i < first; i++) {
      if (!state.segments.get(i).indexesLookWhole()) {
        LOG.warn("The indexes of {} do not hold and are rebuilt", state.segments.get(i).path());
        rebuild(i, true);
      }
    }
    state.logEndOffset = state.segments.get(first).baseOffset();
    for (int i = first; i < state.segments.count(); i++) {
      Segment segment = state.segments.get(i);
      if (segment.baseOffset() != state.logEndOffset
          && (state.logEndOffset >= opening.recoveryPoint()
              || segment.baseOffset() < state.logEndOffset)) {
        requireUnsynced(segment, 0, "begins at another offset than its predecessor ends");
        dropFrom(i, segment, 0, "does not go on where its predecessor ends");
        return;
      }
      if (segment.size() > 0) {
        LOG.info(
            "[Log partition={}, dir={}] Recovering unflushed segment {} ({} of {})",
            state.id,
            state.folder.path(),
            segment.baseOffset(),
            i - first + 1,
            state.segments.count() - first);
      }
      if (rebuild(i, false)) {
        dropFrom(i + 1, segment, segment.size(), "was cut");
      } else if (i < state.segments.count() - 1) {
        segment.seal();
        state.flushes.noteSealed();
      }
    }
  }

  private void dropFrom(int index, Segment where, int position, String why) throws IOException {
    while (state.segments.count() > index) {
      Segment stray = state.segments.active();
      LOG.warn(
          "{} ({} bytes) is taken out of {}: it lies behind {}, which {} at position {}",
          stray.path(),
          stray.size(),
          state.id,
          where.path(),
          why,
          position);
      state.segments.removeLast();
      state.drop(stray);
    }
    state.folder.sync();
  }

  /**
   * Reads a segment, checks each batch and builds its indexes. Returns true when it had to be cut.
   *
   * @param synced true when nothing in it may be missing
   */
  private boolean rebuild(int index, boolean synced) throws IOException {
    Segment segment = state.segments.get(index);
    int bytes = segment.size();
    segment.startRebuild();
    long next = segment.baseOffset();
    LogFile file = segment.file();
    BatchScanner scanner = new BatchScanner(file, 0, bytes, BatchScanner.FAR_BYTES);
    String fault = null;
    while (fault == null && scanner.next()) {
      fault = faultOf(scanner, next);
      if (fault == null) {
        noteEpoch(scanner.header());
        segment.added(scanner.header(), state.settings.indexIntervalBytes());
        next = scanner.header().lastOffset() + 1;
      }
    }
    fault = fault == null ? scanner.fault() : fault;
    if (index == state.segments.count() - 1 || !synced) {
      state.logEndOffset = next;
    }
    if (fault == null) {
      if (synced) {
        segment.seal();
      }
      return false;
    }
    long position = scanner.position();
    if (synced || next < opening.recoveryPoint()) {
      requireUnsynced(segment, position, fault);
      throw damaged(segment, position, fault);
    }
    LOG.warn(
        "{} {} at position {}: {} bytes behind it were never synced and are cut; {} ends at {}",
        segment.path(),
        fault,
        position,
        bytes - position,
        state.id,
        next);
    file.truncate(position);
    file.sync();
    return true;
  }

  private @Nullable String faultOf(BatchScanner scanner, long expectedOffset) throws IOException {
    BatchHeader batch = scanner.header();
    if (batch.baseOffset() < expectedOffset || batch.lastOffsetDelta() < 0) {
      return "holds the offsets "
          + batch.baseOffset()
          + " to "
          + batch.lastOffset()
          + " where "
          + expectedOffset
          + " or more is due";
    }
    return scanner.crcMatches() ? null : "holds a batch whose CRC does not match";
  }

  private void requireUnsynced(Segment segment, long position, String fault) throws CorruptLog {
    if (state.logEndOffset < opening.recoveryPoint() && !opening.cleanStop()) {
      throw damaged(segment, position, fault);
    }
  }

  private CorruptLog damaged(Segment segment, long position, String fault) {
    return new CorruptLog(
        segment.path()
            + " is damaged at position "
            + position
            + ": it "
            + fault
            + ". What lies below offset "
            + opening.recoveryPoint()
            + " was synced before, so this is not an interrupted write. "
            + state.id
            + " stays offline; restore it from another replica, or move the folder away.");
  }

  // --- what follows from the segments ---

  private void settleOffsets() throws IOException {
    long first = state.segments.first().baseOffset();
    state.logStartOffset = Math.max(opening.logStartOffset(), first);
    long synced = opening.cleanStop() ? state.logEndOffset : opening.recoveryPoint();
    state.flushes.startAt(Math.min(synced, state.logEndOffset));
    if (!opening.cleanStop() && state.logEndOffset < opening.recoveryPoint()) {
      LOG.warn(
          "{} ends at {}, but was synced up to {} before: files are missing or were replaced",
          state.id,
          state.logEndOffset,
          opening.recoveryPoint());
    }
    if (state.logStartOffset > state.logEndOffset) {
      LOG.warn(
          "{} ends at {}, below its log start offset {}: it is emptied and starts there",
          state.id,
          state.logEndOffset,
          state.logStartOffset);
      new Truncation(state).truncateFullyAndStartAt(state.logStartOffset);
    }
  }

  private void loadEpochs() throws IOException {
    LeaderEpochs loaded =
        files.hasEpochs() ? LeaderEpochs.parse(state.folder.readAll(FileNames.EPOCHS)) : null;
    if (loaded != null) {
      state.epochs = loaded;
    } else {
      if (files.hasEpochs()) {
        LOG.warn(
            "{}/{} is damaged; the epochs are rebuilt from the batches",
            state.folder.path(),
            FileNames.EPOCHS);
      }
      epochsContradictBatches = state.segments.sizeInBytes() > 0 || files.hasEpochs();
    }
  }

  private void noteEpoch(BatchHeader batch) {
    if (batch.leaderEpoch() > state.epochs.latest()) {
      state.epochs.assign(batch.leaderEpoch(), batch.baseOffset());
    } else if (batch.leaderEpoch() >= 0
        && state.epochs.epochForOffset(batch.baseOffset()) != batch.leaderEpoch()) {
      epochsContradictBatches = true;
    }
  }

  /**
   * After a kill the log may begin again where it did at the last checkpoint, while the epochs were
   * written when it began later: what lies between belongs to epochs that they do not know.
   */
  private boolean epochsBeginTooLate() throws IOException {
    long first =
        state.epochs.starts().isEmpty()
            ? Long.MAX_VALUE
            : state.epochs.starts().get(0).startOffset();
    if (first <= state.logStartOffset || state.logEndOffset <= state.logStartOffset) {
      return false;
    }
    int holding = Math.max(0, state.segments.floor(state.logStartOffset));
    BatchScanner scanner = state.segments.get(holding).far(0);
    while (scanner.next()) {
      BatchHeader batch = scanner.header();
      if (batch.lastOffset() >= state.logStartOffset) {
        return batch.leaderEpoch() >= 0
            && Math.max(batch.baseOffset(), state.logStartOffset) < first;
      }
    }
    return false;
  }

  private void settleEpochs() throws IOException {
    if (epochsContradictBatches || epochsBeginTooLate()) {
      LeaderEpochs rebuilt = new LeaderEpochs();
      for (int i = 0; i < state.segments.count(); i++) {
        BatchScanner scanner = state.segments.get(i).far(0);
        while (scanner.next()) {
          rebuilt.assign(scanner.header().leaderEpoch(), scanner.header().baseOffset());
        }
      }
      rebuilt.markChanged();
      state.epochs = rebuilt;
    }
    state.epochs.truncateFromEnd(state.logEndOffset);
    state.epochs.truncateFromStart(state.logStartOffset);
    if (!opening.cleanStop() && files.hasEpochs()) {
      // What the process before wrote may be unsynced, and names it created too.
      state.unsynced.noteWritten(FileNames.EPOCHS);
    }
    state.writeEpochs();
  }

  private void settleProducers() throws IOException {
    state.snapshots.deleteAbove(state.logEndOffset);
    new ProducerReplay(state, true).run(state.logEndOffset);
    state.snapshots.deleteStray(state.segments);
  }

  private void releaseFiles() throws IOException {
    List<Segment> all = new ArrayList<>();
    for (int i = 0; i < state.segments.count(); i++) {
      all.add(state.segments.get(i));
    }
    for (Segment segment : all) {
      segment.closeIfIdle();
      segment.closeIfIdle();
    }
  }
}
