package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that opening a log needs to know of its files, so that they need not be looked at. It holds
 * for the moment it was made: whoever keeps it has to know that nothing was written since, by a
 * clean stop or by {@link #isStillTrue}. Immutable.
 */
public final class LogSummary {
  /** A log with more of either is opened by its files. */
  static final int MAX_SEGMENTS = 1000;

  static final int MAX_PRODUCERS = 200;

  final long recoveryPoint;
  final long syncedEndOffset;
  final long logStartOffset;
  final long logEndOffset;
  final List<SegmentSummary> segments;
  final List<EpochStart> epochs;
  final long[] snapshots;
  final byte[] producers;

  private LogSummary(
      long recoveryPoint,
      long syncedEndOffset,
      long logStartOffset,
      long logEndOffset,
      List<SegmentSummary> segments,
      List<EpochStart> epochs,
      long[] snapshots,
      byte[] producers) {
    this.recoveryPoint = recoveryPoint;
    this.syncedEndOffset = syncedEndOffset;
    this.logStartOffset = logStartOffset;
    this.logEndOffset = logEndOffset;
    this.segments = segments;
    this.epochs = epochs;
    this.snapshots = snapshots;
    this.producers = producers;
  }

  /** The summary of a log as it is now, or null when it would be too long or come too early. */
  static @Nullable LogSummary of(LogState state) {
    int segmentCount = state.segments.count();
    if (segmentCount > MAX_SEGMENTS || state.producers.count() > MAX_PRODUCERS) {
      return null;
    }
    List<SegmentSummary> segments = new ArrayList<>(segmentCount);
    for (int i = 0; i < segmentCount; i++) {
      if (i < segmentCount - 1 && state.segments.get(i).isDirty()) {
        return null; // it waits for its sync, which a recovery asks for again
      }
      segments.add(state.segments.get(i).summary());
    }
    return new LogSummary(
        state.flushes.recoveryPoint(),
        state.flushes.syncedEndOffset(),
        state.logStartOffset,
        state.logEndOffset,
        segments,
        state.epochs.startsBelow(state.logEndOffset),
        state.snapshots.offsets(),
        state.producers.isEmpty() ? NO_BYTES : ProducerSnapshot.toFile(state.producers));
  }

  private static final byte[] NO_BYTES = {};

  /** End of the log, exclusive. */
  public long logEndOffset() {
    return logEndOffset;
  }

  /**
   * Looks whether a log's folder is as the summary says: no segment came or went, none grew. That
   * proves that nothing was appended since. Blocks.
   */
  public boolean isStillTrue(Directory folder) throws IOException {
    SegmentSummary active = segments.get(segments.size() - 1);
    boolean foundActive = false;
    int found = 0;
    for (String name : folder.list()) {
      long base = FileNames.offsetIn(name, FileNames.LOG);
      if (base >= 0) {
        if (!holds(base, folder.size(name))) {
          return false;
        }
        found++;
        foundActive |= base == active.baseOffset();
      } else if (FileNames.isLeftover(name)) {
        return false;
      }
    }
    // The file of a new log is made with its first records; no other may be missing.
    boolean activeIsToCome = !foundActive && active.size() == 0;
    return found + (activeIsToCome ? 1 : 0) == segments.size();
  }

  private boolean holds(long baseOffset, long bytes) {
    for (SegmentSummary segment : segments) {
      if (segment.baseOffset() == baseOffset) {
        return segment.size() == bytes;
      }
    }
    return false;
  }

  /** Bytes that {@link #write} needs. */
  public int sizeInBytes() {
    return 4 * Long.BYTES
        + 4 * Integer.BYTES
        + segments.size() * (3 * Long.BYTES + Integer.BYTES)
        + epochs.size() * (Long.BYTES + Integer.BYTES)
        + snapshots.length * Long.BYTES
        + producers.length;
  }

  /** Writes it at the buffer's position. */
  public void write(ByteBuffer to) {
    to.putLong(recoveryPoint).putLong(syncedEndOffset);
    to.putLong(logStartOffset).putLong(logEndOffset);
    to.putInt(segments.size());
    for (SegmentSummary segment : segments) {
      to.putLong(segment.baseOffset()).putInt(segment.size());
      to.putLong(segment.maxTimestampMs()).putLong(segment.offsetOfMaxTimestamp());
    }
    to.putInt(epochs.size());
    for (EpochStart epoch : epochs) {
      to.putInt(epoch.epoch()).putLong(epoch.startOffset());
    }
    to.putInt(snapshots.length);
    for (long snapshot : snapshots) {
      to.putLong(snapshot);
    }
    to.putInt(producers.length).put(producers);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws BufferUnderflowException or IllegalArgumentException when it is something else
   */
  public static LogSummary read(ByteBuffer from) {
    long recoveryPoint = from.getLong();
    long syncedEndOffset = from.getLong();
    long logStartOffset = from.getLong();
    long logEndOffset = from.getLong();
    int segmentCount = count(from, 1);
    List<SegmentSummary> segments = new ArrayList<>(segmentCount);
    for (int i = 0; i < segmentCount; i++) {
      segments.add(
          new SegmentSummary(from.getLong(), from.getInt(), from.getLong(), from.getLong()));
    }
    int epochCount = count(from, 0);
    List<EpochStart> epochs = new ArrayList<>(epochCount);
    for (int i = 0; i < epochCount; i++) {
      epochs.add(new EpochStart(from.getInt(), from.getLong()));
    }
    long[] snapshots = new long[count(from, 0)];
    for (int i = 0; i < snapshots.length; i++) {
      snapshots[i] = from.getLong();
    }
    byte[] producers = new byte[count(from, 0)];
    from.get(producers);
    return new LogSummary(
        recoveryPoint,
        syncedEndOffset,
        logStartOffset,
        logEndOffset,
        segments,
        epochs,
        snapshots,
        producers);
  }

  private static int count(ByteBuffer from, int atLeast) {
    int count = from.getInt();
    if (count < atLeast || count > from.remaining()) {
      throw new IllegalArgumentException("a count is " + count);
    }
    return count;
  }
}
