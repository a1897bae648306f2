package dev.tidemark.log;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.protocol.BatchRecords;
import dev.tidemark.protocol.BatchRecords.EndMarker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a log consists of, shared by the classes that append, read, truncate, retain, recover. */
final class LogState {
  private static final Logger LOG = LoggerFactory.getLogger(LogState.class);

  /** Read at an opening without hesitation. */
  private static final int SNAPSHOT_BYTES = 1 << 20;

  final LogId id;
  final Directory folder;
  final Clock clock;
  final Segments segments = new Segments();
  final UnsyncedFiles unsynced;
  final ProducerSnapshots snapshots;
  final ProducerState producers;
  final Flushes flushes;
  final List<String> filesToDelete = new ArrayList<>(0);
  final CleanEnd cleanEnd = new CleanEnd();
  LogSettings settings;
  LeaderEpochs epochs = new LeaderEpochs();
  long logStartOffset;
  long logEndOffset;

  /** Something changed that a checkpoint tells, since it was last asked. */
  boolean changed = true;

  private @Nullable PositionCache positions;

  LogState(LogId id, Directory folder, LogSettings settings, Clock clock) {
    this.id = id;
    this.folder = folder;
    this.settings = settings;
    this.clock = clock;
    this.unsynced = new UnsyncedFiles(folder);
    this.snapshots = new ProducerSnapshots(folder, unsynced);
    this.producers = new ProducerState(id);
    this.flushes = new Flushes(this);
  }

  PositionCache positions() {
    if (positions == null) {
      positions = new PositionCache();
    }
    return positions;
  }

  void forgetPositions() {
    positions = null;
  }

  /** Takes in a batch that was written at the end of the active segment. */
  void added(BatchHeader batch, ByteBuffer buffer) throws IOException {
    Segment active = segments.active();
    positions().put(batch.baseOffset(), active.baseOffset(), active.size());
    active.added(batch, settings.indexIntervalBytes());
    logEndOffset = batch.lastOffset() + 1;
    epochs.noteRecord();
    changed = true;
    if (batch.leaderEpoch() > epochs.latest()) {
      epochs.assign(batch.leaderEpoch(), batch.baseOffset());
    }
    if (batch.hasProducerId()) {
      AbortedTxn aborted = noteProducer(batch, buffer);
      if (aborted != null) {
        active.txnIndex().append(aborted);
      }
    }
  }

  /** Brings producer state up to a batch that lies wholly in the buffer if it is a control one. */
  @Nullable AbortedTxn noteProducer(BatchHeader batch, ByteBuffer buffer) {
    if (!batch.isControl()) {
      producers.added(batch);
      return null;
    }
    EndMarker marker = BatchRecords.endMarker(buffer, batch.position());
    return marker == null ? null : producers.ended(batch, marker);
  }

  /** Begins a new active segment; durable with the next flush. */
  void startSegment(long baseOffset) throws IOException {
    Segment segment = new Segment(folder, baseOffset, 0, clock.wallMs());
    segment.create();
    segments.add(segment);
    unsynced.noteNamesChanged();
  }

  void roll(long baseOffset) throws IOException {
    changed = true;
    segments.active().seal();
    flushes.noteSealed();
    if (!snapshots.has(baseOffset)) {
      snapshots.take(baseOffset, producers);
    }
    startSegment(baseOffset);
    LOG.info(
        "[Log partition={}, dir={}] Rolled new log segment at offset {}",
        id,
        folder.path(),
        baseOffset);
  }

  boolean hasOpenFiles() {
    for (int i = 0; i < segments.count(); i++) {
      if (segments.get(i).hasOpenFiles()) {
        return true;
      }
    }
    return false;
  }

  /** True when nothing waits for a sync that is not worth waiting for. */
  boolean isSaved() {
    for (int i = 0; i < segments.count(); i++) {
      if (segments.get(i).isAnythingDirty()) {
        return false;
      }
    }
    return !unsynced.hasChangedNames() && !epochs.isChanged();
  }

  /**
   * True when opening it by its files would have to read much to know its producers. What opens it
   * by a summary knows them anyway.
   */
  boolean isLongWithoutSnapshot() {
    Segment active = segments.active();
    long newest = snapshots.newestAtOrBelow(logEndOffset);
    return active.size() > SNAPSHOT_BYTES
        || (segments.count() > 1 && newest < active.baseOffset())
        || newest > active.baseOffset();
  }

  /** All that was written has been synced. */
  void noteSynced() {
    for (int i = 0; i < segments.count(); i++) {
      segments.get(i).markSynced();
    }
    unsynced.clear();
    flushes.allSynced();
  }

  /** Writes the epoch file if it changed; durable with the next flush. */
  void writeEpochs() throws IOException {
    if (epochs.takeChanged()) {
      unsynced.replace(FileNames.EPOCHS, epochs.toFile());
    }
  }

  /** Closes all files without syncing them. */
  void closeFiles() throws IOException {
    for (int i = 0; i < segments.count(); i++) {
      segments.get(i).closeNow();
    }
  }

  /** Takes a segment's files out of the log; they are deleted later. */
  void drop(Segment segment) throws IOException {
    filesToDelete.addAll(segment.markDeleted());
    changed = true;
    unsynced.noteNamesChanged();
  }
}
