package dev.tidemark.log;

import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.protocol.BatchRecords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds what a reader asks for: whole batches by offset, records by time, aborted transactions. */
final class LogReader {
  private final LogState state;

  LogReader(LogState state) {
    this.state = state;
  }

  LogRead read(long startOffset, int maxBytes, boolean atLeastOneBatch, long endOffsetExclusive)
      throws OffsetOutOfRange, IOException {
    if (startOffset < state.logStartOffset || startOffset > state.logEndOffset) {
      throw new OffsetOutOfRange(state.id, startOffset, state.logStartOffset, state.logEndOffset);
    }
    long end = Math.min(endOffsetExclusive, state.logEndOffset);
    if (startOffset >= end || (maxBytes <= 0 && !atLeastOneBatch)) {
      return nothing(startOffset);
    }
    int index = Math.max(0, state.segments.floor(startOffset));
    int position = position(index, startOffset);
    while (position == state.segments.get(index).size() && index + 1 < state.segments.count()) {
      index++;
      position = 0;
    }
    return readFrom(index, position, startOffset, maxBytes, atLeastOneBatch, end);
  }

  private LogRead readFrom(
      int index, int position, long startOffset, int maxBytes, boolean atLeastOne, long end)
      throws IOException {
    Segment segment = state.segments.get(index);
    long segmentEnd = state.segments.endOffset(index, state.logEndOffset);
    int limit = segmentEnd <= end ? segment.size() : position(index, end);
    if (position >= limit) {
      return nothing(startOffset);
    }
    long nextOffset = Math.min(segmentEnd, end);
    if (maxBytes < limit - position) {
      Segment.Boundary boundary =
          segment.boundaryBefore(position, position + Math.max(maxBytes, 0));
      limit = boundary.position();
      nextOffset = boundary.baseOffset();
      if (limit == position) {
        if (!atLeastOne) {
          return nothing(startOffset);
        }
        limit += boundary.batchBytes();
        nextOffset = boundary.lastOffset() + 1;
      }
      state.positions().put(nextOffset, segment.baseOffset(), limit);
    }
    int length = limit - position;
    return new LogRead(
        segment.file().slice(position, length),
        length,
        startOffset,
        nextOffset,
        state.logStartOffset,
        state.logEndOffset);
  }

  private LogRead nothing(long startOffset) {
    return new LogRead(null, 0, startOffset, startOffset, state.logStartOffset, state.logEndOffset);
  }

  private int position(int index, long offset) throws IOException {
    Segment segment = state.segments.get(index);
    if (offset >= state.logEndOffset && index == state.segments.count() - 1) {
      return segment.size();
    }
    int cached = state.positions().get(offset, segment.baseOffset());
    return cached >= 0 ? cached : segment.positionOf(offset);
  }

  long bytesBelow(long offset) throws IOException {
    if (offset >= state.logEndOffset) {
      return state.segments.sizeInBytes();
    }
    int last = Math.max(0, state.segments.floor(offset));
    long bytes = position(last, offset);
    for (int i = 0; i < last; i++) {
      bytes += state.segments.get(i).size();
    }
    return bytes;
  }

  @Nullable TimestampedOffset offsetForTimestamp(long timestampMs, long endOffsetExclusive)
      throws IOException {
    for (int i = 0; i < state.segments.count(); i++) {
      Segment segment = state.segments.get(i);
      if (segment.baseOffset() >= endOffsetExclusive) {
        return null;
      }
      if (segment.maxTimestampMs() >= timestampMs) {
        BatchScanner scanner = segment.near(segment.positionBeforeTime(timestampMs));
        while (scanner.next()) {
          TimestampedOffset found = inBatch(scanner, timestampMs);
          if (found != null) {
            return found.offset() < endOffsetExclusive ? found : null;
          }
        }
        segment.requireWhole(scanner);
      }
    }
    return null;
  }

  private @Nullable TimestampedOffset inBatch(BatchScanner scanner, long timestampMs)
      throws IOException {
    BatchHeader batch = scanner.header();
    if (batch.maxTimestampMs() < timestampMs || batch.lastOffset() < state.logStartOffset) {
      return null;
    }
    scanner.loadWhole();
    BatchRecords.Found found =
        BatchRecords.firstAtOrAfter(
            scanner.buffer(), batch.position(), timestampMs, state.logStartOffset);
    return found == null
        ? null
        : new TimestampedOffset(found.timestampMs(), found.offset(), batch.leaderEpoch());
  }

  @Nullable TimestampedOffset maxTimestamp(long endOffsetExclusive) throws IOException {
    long newestMs = TimeIndex.NO_TIMESTAMP;
    int newest = -1;
    for (int i = Math.max(0, state.segments.floor(state.logStartOffset));
        i < state.segments.count() && state.segments.get(i).baseOffset() < endOffsetExclusive;
        i++) {
      boolean whole =
          state.logStartOffset <= state.segments.get(i).baseOffset()
              && state.segments.endOffset(i, state.logEndOffset) <= endOffsetExclusive;
      long segmentMs =
          whole
              ? state.segments.get(i).maxTimestampMs()
              : maxTimestampOfPart(state.segments.get(i), endOffsetExclusive);
      if (segmentMs > newestMs) {
        newestMs = segmentMs;
        newest = i;
      }
    }
    return newest < 0 ? null : offsetForTimestamp(newestMs, endOffsetExclusive);
  }

  private long maxTimestampOfPart(Segment segment, long endOffsetExclusive) throws IOException {
    long newestMs = TimeIndex.NO_TIMESTAMP;
    BatchScanner scanner = segment.far(segment.positionOf(state.logStartOffset));
    while (scanner.next() && scanner.header().lastOffset() < endOffsetExclusive) {
      newestMs = Math.max(newestMs, scanner.header().maxTimestampMs());
    }
    return newestMs;
  }

  List<AbortedTxn> abortedTransactions(long startOffset, long endOffsetExclusive)
      throws IOException {
    List<AbortedTxn> found = new ArrayList<>();
    for (int i = Math.max(0, state.segments.floor(startOffset)); i < state.segments.count(); i++) {
      boolean complete = false;
      for (AbortedTxn txn : state.segments.get(i).txnIndex().entries()) {
        if (txn.lastOffset() >= startOffset && txn.firstOffset() < endOffsetExclusive) {
          found.add(txn);
        }
        complete |= txn.lastStableOffset() >= endOffsetExclusive;
      }
      if (complete) {
        break;
      }
    }
    found.sort(Comparator.comparingLong(AbortedTxn::firstOffset));
    return found;
  }
}
