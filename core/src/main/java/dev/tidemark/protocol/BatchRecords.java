package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** The single records inside a batch that was checked before, for the rare cases that need them. */
public final class BatchRecords {
  private static final int CONTROL_KEY_BYTES = 4;
  private static final int MARKER_VALUE_BYTES = 6;

  private BatchRecords() {}

  /** A record's time and place. */
  public record Found(long timestampMs, long offset) {}

  /**
   * The end of a transaction as its coordinator wrote it.
   *
   * @param commit false for an abort
   */
  public record EndMarker(boolean commit, int coordinatorEpoch) {}

  /** The first record at or after both bounds in the batch that begins at {@code position}. */
  public static @Nullable Found firstAtOrAfter(
      ByteBuffer buffer, int position, long timestampMs, long startOffset) {
    BatchHeader header = new BatchHeader().wrap(buffer, position);
    try (RecordCursor cursor = RecordCursor.over(buffer, header)) {
      for (int i = 0; i < header.recordCount() && cursor.next(); i++) {
        long recordMs = recordTimestampMs(header, cursor);
        long offset = header.baseOffset() + cursor.offsetDelta();
        if (recordMs >= timestampMs && offset >= startOffset) {
          return new Found(recordMs, offset);
        }
      }
    }
    return null;
  }

  /** Hears of a record's key. */
  @FunctionalInterface
  public interface KeyVisitor {
    /** {@code key} is null for a record without one. */
    void onKey(long offset, @Nullable ByteBuffer key);
  }

  /** Visits the keys of the batch that begins at {@code position}; it must be whole and valid. */
  public static void forEachKey(ByteBuffer buffer, int position, KeyVisitor visitor) {
    BatchHeader header = new BatchHeader().wrap(buffer, position);
    ByteBuffer one =
        buffer.duplicate().limit(position + (int) header.sizeInBytes()).position(position).slice();
    MutableRecordBatch batch = MemoryRecords.readableRecords(one).batches().iterator().next();
    try (CloseableIterator<Record> records = batch.streamingIterator(Codecs.buffers())) {
      while (records.hasNext()) {
        Record record = records.next();
        visitor.onKey(record.offset(), record.key());
      }
    }
  }

  private static long recordTimestampMs(BatchHeader header, RecordCursor cursor) {
    return header.isLogAppendTime()
        ? header.maxTimestampMs()
        : header.baseTimestampMs() + cursor.timestampDelta();
  }

  /** The transaction marker in a control batch, or null when it controls something else. */
  public static @Nullable EndMarker endMarker(ByteBuffer buffer, int position) {
    BatchHeader header = new BatchHeader().wrap(buffer, position);
    if (!header.isControl() || header.recordCount() < 1) {
      return null;
    }
    ByteBuffer batch =
        buffer.duplicate().limit(position + (int) header.sizeInBytes()).position(position).slice();
    MutableRecordBatch parsed = MemoryRecords.readableRecords(batch).batches().iterator().next();
    Record record = parsed.iterator().next();
    ByteBuffer key = record.key();
    ByteBuffer value = record.value();
    if (key == null
        || value == null
        || key.remaining() < CONTROL_KEY_BYTES
        || value.remaining() < MARKER_VALUE_BYTES) {
      return null;
    }
    short type = key.getShort(key.position() + 2);
    if (type != 0 && type != 1) {
      return null;
    }
    return new EndMarker(type == 1, value.getInt(value.position() + 2));
  }

  /**
   * The batch in {@code records} stored with the codec that the topic asks for; the same buffer
   * when it is so already. The batch was checked and its timestamps are set.
   */
  public static ByteBuffer withTopicCodec(ByteBuffer records, BatchRules rules) {
    BatchHeader header = new BatchHeader().wrap(records, records.position());
    if (rules.compressionId() < 0 || rules.compressionId() == header.compressionId()) {
      return records;
    }
    MutableRecordBatch batch =
        MemoryRecords.readableRecords(records.duplicate()).batches().iterator().next();
    ByteBufferOutputStream out =
        new ByteBufferOutputStream((int) header.sizeInBytes() + BatchHeader.SIZE);
    MemoryRecordsBuilder builder =
        new MemoryRecordsBuilder(
            out,
            BatchHeader.MAGIC_V2,
            Codecs.codec(rules),
            header.isLogAppendTime() ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
            0L,
            header.isLogAppendTime() ? header.maxTimestampMs() : -1L,
            header.producerId(),
            header.producerEpoch(),
            header.baseSequence(),
            header.isTransactional(),
            false,
            header.leaderEpoch(),
            Integer.MAX_VALUE);
    try (CloseableIterator<Record> records2 = batch.streamingIterator(Codecs.buffers())) {
      while (records2.hasNext()) {
        builder.append(records2.next());
      }
    }
    return builder.build().buffer();
  }
}
