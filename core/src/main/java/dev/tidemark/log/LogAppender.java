package dev.tidemark.log;

import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.protocol.BatchRecords;
import dev.tidemark.protocol.BatchRules;
import dev.tidemark.protocol.BatchValidator;
import dev.tidemark.protocol.InflationBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Appends: checks, gives offsets and epochs, writes, and only then lets the log grow. */
final class LogAppender {
  private final LogState state;
  private final Truncation truncation;
  private final BatchValidator validator = new BatchValidator();
  private final BatchHeader header = new BatchHeader();
  private @Nullable BatchRules rules;

  LogAppender(LogState state, Truncation truncation) {
    this.state = state;
    this.truncation = truncation;
  }

  AppendResult append(ByteBuffer records, int leaderEpoch, AppendOrigin origin)
      throws RefusedAppend, IOException {
    if (origin == AppendOrigin.CLIENT) {
      ClientBatch batch = clientBatch(records);
      batch.check(
          validator, InflationBudget.of(InflationBudget.MAX_OF_BATCH), state.clock.wallMs());
      return append(batch, leaderEpoch);
    }
    return write(records, leaderEpoch, origin);
  }

  ClientBatch clientBatch(ByteBuffer records) {
    if (rules == null) {
      rules = rules();
    }
    return new ClientBatch(records, rules);
  }

  boolean checkIfSmall(ClientBatch batch, InflationBudget budget) throws RefusedAppend {
    return batch.checkIfSmall(validator, budget, state.clock.wallMs());
  }

  /** Appends a batch that was checked. */
  AppendResult append(ClientBatch batch, int leaderEpoch) throws RefusedAppend, IOException {
    ByteBuffer records = batch.checkedRecords();
    ProducerWindow.Batch duplicate = checkSequence(records);
    if (duplicate != null) {
      return new AppendResult(
          duplicate.firstOffset(),
          duplicate.lastOffset(),
          duplicate.timestampMs(),
          state.logStartOffset,
          true);
    }
    return write(records, leaderEpoch, AppendOrigin.CLIENT);
  }

  private AppendResult write(ByteBuffer batches, int leaderEpoch, AppendOrigin origin)
      throws RefusedAppend, IOException {
    int start = batches.position();
    int end = batches.limit();
    if (end - start > state.settings.segmentBytes()) {
      throw new RefusedAppend(
          Errors.RECORD_LIST_TOO_LARGE,
          (end - start)
              + " bytes of records for "
              + state.id
              + " do not fit into a segment, segment.bytes = "
              + state.settings.segmentBytes()
              + ".");
    }
    long base = state.logEndOffset;
    long last = assign(batches, leaderEpoch, origin);
    writeRun(batches, start, end, base, last, header.maxTimestampMs());
    long appendTimeMs =
        origin == AppendOrigin.CLIENT && state.settings.logAppendTime()
            ? header.maxTimestampMs()
            : -1;
    return new AppendResult(base, last, appendTimeMs, state.logStartOffset, false);
  }

  private BatchRules rules() {
    LogSettings settings = state.settings;
    return new BatchRules(
        state.id.folderName(),
        settings.compact(),
        settings.maxMessageBytes(),
        settings.logAppendTime(),
        settings.timestampBeforeMaxMs(),
        settings.timestampAfterMaxMs(),
        BatchRules.compressionIdOf(settings.compressionType()),
        settings.gzipLevel(),
        settings.lz4Level(),
        settings.zstdLevel());
  }

  private ProducerWindow.@Nullable Batch checkSequence(ByteBuffer batch) throws RefusedAppend {
    header.wrap(batch, batch.position());
    if (!header.hasProducerId()) {
      return null;
    }
    ProducerWindow.Batch duplicate = state.producers.duplicateOf(header);
    if (duplicate == null) {
      state.producers.checkClientBatch(header);
    }
    return duplicate;
  }

  /** Gives offsets and epoch to all batches; returns the last offset. */
  private long assign(ByteBuffer batches, int leaderEpoch, AppendOrigin origin)
      throws RefusedAppend {
    long next = state.logEndOffset;
    int at = batches.position();
    while (at < batches.limit()) {
      requireWhole(batches, at);
      header.setBaseOffset(next);
      header.setLeaderEpoch(leaderEpoch);
      if (origin != AppendOrigin.CLIENT && header.hasProducerId()) {
        checkCoordinatorBatch(batches);
      }
      next = header.lastOffset() + 1;
      at += (int) header.sizeInBytes();
    }
    if (next == state.logEndOffset) {
      throw new RefusedAppend(Errors.INVALID_RECORD, "There is no record batch for " + state.id);
    }
    return next - 1;
  }

  private void requireWhole(ByteBuffer batches, int at) throws RefusedAppend {
    int left = batches.limit() - at;
    header.wrap(batches, at);
    if (left < BatchHeader.SIZE
        || header.sizeInBytes() < BatchHeader.SIZE
        || header.sizeInBytes() > left
        || header.magic() != BatchHeader.MAGIC_V2
        || header.lastOffsetDelta() < 0) {
      throw new RefusedAppend(
          Errors.CORRUPT_MESSAGE,
          "The records for "
              + state.id
              + " hold no whole batch at byte "
              + (at - batches.position())
              + " of "
              + batches.remaining());
    }
  }

  private void checkCoordinatorBatch(ByteBuffer batches) throws RefusedAppend {
    state.producers.checkEpoch(header);
    if (header.isControl()) {
      BatchRecords.EndMarker marker = BatchRecords.endMarker(batches, header.position());
      if (marker != null) {
        state.producers.checkMarker(header, marker);
      }
    }
  }

  /** Appends what a leader sent; a batch that is cut off at the end is left out. */
  AppendResult appendReplicated(ByteBuffer records) throws RefusedAppend, IOException {
    int start = records.position();
    int end = records.limit();
    long base = -1;
    int runStart = start;
    long runBase = -1;
    long runNewestMs = -1;
    long last = -1;
    int at = start;
    while (isWhole(records, at)) {
      checkReplicated(at - start, base < 0 ? state.logEndOffset : last + 1);
      int size = (int) header.sizeInBytes();
      if (base < 0) {
        base = header.baseOffset();
      }
      if (runBase < 0) {
        runBase = header.baseOffset();
      } else if (at + size - runStart > state.settings.segmentBytes()
          || header.lastOffset() - runBase > Integer.MAX_VALUE) {
        writeRun(records, runStart, at, runBase, last, runNewestMs);
        header.wrap(records, at);
        runStart = at;
        runBase = header.baseOffset();
        runNewestMs = -1;
      }
      last = header.lastOffset();
      runNewestMs = Math.max(runNewestMs, header.maxTimestampMs());
      at += size;
    }
    if (at > runStart) {
      writeRun(records, runStart, at, runBase, last, runNewestMs);
    }
    records.limit(end).position(start);
    return new AppendResult(base, last, -1, state.logStartOffset, false);
  }

  private boolean isWhole(ByteBuffer records, int at) {
    int left = records.limit() - at;
    if (left < BatchHeader.SIZE) {
      return false;
    }
    header.wrap(records, at);
    return header.sizeInBytes() <= left && header.sizeInBytes() >= BatchHeader.SIZE;
  }

  private void checkReplicated(int at, long expectedOffset) throws RefusedAppend, IOException {
    if (header.magic() != BatchHeader.MAGIC_V2
        || !header.crcMatches()
        || header.lastOffsetDelta() < 0) {
      throw new RefusedAppend(
          Errors.CORRUPT_MESSAGE,
          "The leader sent a damaged batch for " + state.id + " at byte " + at + ": " + header);
    }
    if (header.baseOffset() < expectedOffset) {
      boolean holdsStart = header.lastOffset() >= expectedOffset;
      if (at == 0 && holdsStart && isEmpty()) {
        long logStartOffset = state.logStartOffset;
        truncation.truncateFullyAndStartAt(header.baseOffset());
        state.logStartOffset = logStartOffset;
        return;
      }
      throw new RefusedAppend(
          Errors.OFFSET_OUT_OF_RANGE,
          "The leader sent "
              + header
              + " for "
              + state.id
              + ", whose next offset is "
              + expectedOffset
              + "; truncate first.");
    }
  }

  private boolean isEmpty() {
    return state.logStartOffset == state.logEndOffset && state.segments.sizeInBytes() == 0;
  }

  /** Writes batches that go into one segment, then takes them in. */
  private void writeRun(ByteBuffer batches, int from, int to, long base, long last, long newestMs)
      throws IOException {
    Segment active = state.segments.active();
    if (active.mustRoll(to - from, last, newestMs, state.settings, state.clock.wallMs())) {
      rollFor(active, base, last);
      active = state.segments.active();
    }
    if (!active.exists()) {
      active.create();
      state.unsynced.noteNamesChanged();
    }
    int position = batches.position();
    int limit = batches.limit();
    try {
      active.write(batches.limit(to).position(from));
    } finally {
      batches.limit(limit).position(position);
    }
    for (int at = from; at < to; ) {
      header.wrap(batches, at);
      state.added(header, batches);
      at += (int) header.sizeInBytes();
    }
    state.flushes.noteAppend(state.clock.monotonicMs());
  }

  private void rollFor(Segment active, long base, long last) throws IOException {
    boolean farGap = last - state.logEndOffset > Integer.MAX_VALUE;
    long newBase = farGap ? base : state.logEndOffset;
    if (active.size() > 0) {
      state.roll(newBase);
    } else {
      state.segments.removeLast();
      state.drop(active);
      state.startSegment(newBase);
    }
  }
}
