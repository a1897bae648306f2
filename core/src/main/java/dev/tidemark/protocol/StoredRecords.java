package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** Batches as they stand in a file, record by record, for tools. */
public final class StoredRecords {
  private StoredRecords() {}

  /**
   * A record.
   *
   * @param control whether a coordinator wrote it, as the end of a transaction
   */
  public record Stored(
      long offset,
      int leaderEpoch,
      long timestampMs,
      @Nullable ByteBuffer key,
      @Nullable ByteBuffer value,
      List<StoredHeader> headers,
      boolean control) {}

  /** A header of a record. */
  public record StoredHeader(String key, @Nullable ByteBuffer value) {}

  /** All records of whole batches; a part of one at the end is left out. */
  public static List<Stored> of(ByteBuffer batches) {
    List<Stored> all = new ArrayList<>();
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(batches).batches()) {
      try (CloseableIterator<Record> records = batch.streamingIterator(Codecs.buffers())) {
        while (records.hasNext()) {
          all.add(stored(batch, records.next()));
        }
      }
    }
    return all;
  }

  private static Stored stored(MutableRecordBatch batch, Record record) {
    List<StoredHeader> headers = new ArrayList<>();
    for (Header header : record.headers()) {
      headers.add(new StoredHeader(header.key(), wrapped(header.value())));
    }
    return new Stored(
        record.offset(),
        batch.partitionLeaderEpoch(),
        record.timestamp(),
        copy(record.key()),
        copy(record.value()),
        headers,
        batch.isControlBatch());
  }

  private static @Nullable ByteBuffer wrapped(byte @Nullable [] bytes) {
    return bytes == null ? null : ByteBuffer.wrap(bytes);
  }

  private static @Nullable ByteBuffer copy(@Nullable ByteBuffer from) {
    return from == null ? null : ByteBuffer.allocate(from.remaining()).put(from.duplicate()).flip();
  }
}
