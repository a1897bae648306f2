package dev.tidemark.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compacts one log, a bounded step at a time: first the keys of its dirty section are read, then
 * all segments up to there are written anew without the records that a later one of the same key
 * replaces. Steps run off the shard, one after the other; between them the shard takes over each
 * segment that is ready ({@link PartitionLog#adopt}).
 */
public final class Cleaner {
  private final CleaningPlan plan;
  private final CleanerBounds bounds;
  private final BatchReader reader;
  private final OffsetMap map;
  private final KeyScan scan;
  private final CleanedTransactions transactions;
  private final Deque<List<CleaningPlan.Source>> groups = new ArrayDeque<>();
  private long bytesWritten;
  private boolean scanned;
  private boolean finished;
  private @Nullable SegmentRewrite rewrite;
  private @Nullable CleanedSegment ready;

  Cleaner(CleaningPlan plan, CleanerBounds bounds) {
    this.plan = plan;
    this.bounds = bounds;
    this.reader = new BatchReader(bounds.ioBufferBytes());
    this.map = new OffsetMap(maxKeys(plan, bounds), bounds.loadFactor());
    this.scan = new KeyScan(plan, map, reader);
    this.transactions = new CleanedTransactions(plan.aborted());
  }

  /** A log with few records needs little memory: there are no more keys than offsets. */
  private static int maxKeys(CleaningPlan plan, CleanerBounds bounds) {
    long fit =
        (long) ((double) bounds.dedupeBufferBytes() / OffsetMap.ENTRY_BYTES * bounds.loadFactor());
    long offsets = plan.section().endOffsetExclusive() - plan.section().firstDirtyOffset();
    return (int) Math.max(1, Math.min(Math.min(fit, offsets), Integer.MAX_VALUE / 32));
  }

  /** How a step ended. */
  public enum Progress {
    /** There is more to do. */
    MORE,
    /** A segment is ready to be adopted; then there is more to do. */
    SEGMENT_READY,
    /** All is done. */
    DONE
  }

  /** Reads about {@code maxBytes}, writes no more than that. Blocks. */
  public Progress step(int maxBytes) throws IOException {
    try {
      return stepOrThrow(maxBytes);
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private Progress stepOrThrow(int maxBytes) throws IOException {
    if (!scanned) {
      scanned = !scan.step(maxBytes);
      if (scanned) {
        group();
      }
      return Progress.MORE;
    }
    SegmentRewrite current = finished ? null : rewrite;
    if (current == null) {
      List<CleaningPlan.Source> next = groups.poll();
      if (next == null) {
        return Progress.DONE;
      }
      current =
          new SegmentRewrite(
              plan, next, map, scan.endOffset(), reader, transactions, bounds.ioBufferBytes());
      rewrite = current;
      finished = false;
      current.start();
    }
    if (current.step(maxBytes)) {
      return Progress.MORE;
    }
    CleanedSegment written = current.finish();
    ready = written;
    bytesWritten += written.summary().size();
    finished = true;
    return Progress.SEGMENT_READY;
  }

  /** Neighbours go into one segment as long as they are sure to fit. */
  private void group() {
    List<CleaningPlan.Source> group = new ArrayList<>();
    long bytes = 0;
    for (CleaningPlan.Source source : plan.sources()) {
      if (source.baseOffset() >= scan.endOffset()) {
        break;
      }
      boolean fits =
          group.isEmpty()
              || (bytes + source.size() <= plan.settings().segmentBytes()
                  && source.endOffset() - 1 - group.get(0).baseOffset() <= Integer.MAX_VALUE);
      if (!fits) {
        groups.add(group);
        group = new ArrayList<>();
        bytes = 0;
      }
      group.add(source);
      bytes += source.size();
    }
    if (!group.isEmpty()) {
      groups.add(group);
    }
  }

  /** The segment that is ready. */
  public CleanedSegment takeReady() {
    CleanedSegment segment = ready;
    if (segment == null) {
      throw new IllegalStateException("No segment of " + plan.id() + " is ready");
    }
    ready = null;
    return segment;
  }

  /** What was written so far. */
  public long bytesWritten() {
    return bytesWritten;
  }

  /** What is still to be read and is not replaced yet; to be asked between steps. */
  List<CleaningPlan.Source> unread() {
    if (!scanned) {
      return plan.sources();
    }
    List<CleaningPlan.Source> unread = new ArrayList<>();
    SegmentRewrite current = finished ? null : rewrite;
    if (current != null) {
      unread.addAll(current.sources());
    }
    groups.forEach(unread::addAll);
    return unread;
  }

  /** Once all is done: where the dirty section of the log begins from now on. */
  public long cleanEndOffset() {
    return scan.endOffset();
  }

  /** Removes what was written and not adopted; no step may follow. Blocks. */
  public void abandon() throws IOException {
    SegmentRewrite current = rewrite;
    rewrite = null;
    if (current != null) {
      current.abandon();
    }
  }
}
