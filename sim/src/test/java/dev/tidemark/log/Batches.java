package dev.tidemark.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/** Record batches as Kafka's own client builds them. */
public final class Batches {
  private Batches() {}

  /** One batch of a client, with these values at this time. */
  public static ByteBuffer plain(long timestampMs, String... values) {
    return built(Compression.NONE, timestampMs, -1, (short) -1, -1, false, values);
  }

  public static ByteBuffer compressed(Compression codec, long timestampMs, String... values) {
    return built(codec, timestampMs, -1, (short) -1, -1, false, values);
  }

  public static ByteBuffer of(
      long producerId, int epoch, int sequence, long timestampMs, String... values) {
    return built(Compression.NONE, timestampMs, producerId, (short) epoch, sequence, false, values);
  }

  public static ByteBuffer transactional(
      long producerId, int epoch, int sequence, long timestampMs, String... values) {
    return built(Compression.NONE, timestampMs, producerId, (short) epoch, sequence, true, values);
  }

  public static ByteBuffer marker(
      long producerId, int epoch, boolean commit, int coordinatorEpoch, long timestampMs) {
    MemoryRecords records =
        MemoryRecords.withEndTransactionMarker(
            0,
            timestampMs,
            -1,
            producerId,
            (short) epoch,
            new EndTransactionMarker(
                commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT, coordinatorEpoch));
    return direct(records.buffer());
  }

  private static ByteBuffer built(
      Compression codec,
      long timestampMs,
      long producerId,
      short epoch,
      int sequence,
      boolean transactional,
      String... values) {
    int bytes =
        1024 + 64 * values.length + Arrays.stream(values).mapToInt(String::length).sum() * 3;
    MemoryRecordsBuilder builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(bytes),
            (byte) 2,
            codec,
            TimestampType.CREATE_TIME,
            0L,
            -1L,
            producerId,
            epoch,
            sequence,
            transactional,
            -1);
    for (String value : values) {
      builder.append(
          new SimpleRecord(
              timestampMs,
              ("k" + value).getBytes(StandardCharsets.UTF_8),
              value.getBytes(StandardCharsets.UTF_8)));
    }
    return direct(builder.build().buffer());
  }

  /**
   * A batch of keys and values in turn; a null value makes a tombstone. Not of a producer when
   * {@code producerId} is -1.
   */
  public static ByteBuffer keyed(
      long producerId,
      int epoch,
      int sequence,
      boolean transactional,
      long timestampMs,
      @Nullable String... keysAndValues) {
    MemoryRecordsBuilder builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(4096 + 64 * keysAndValues.length),
            (byte) 2,
            Compression.NONE,
            TimestampType.CREATE_TIME,
            0L,
            -1L,
            producerId,
            (short) (producerId < 0 ? -1 : epoch),
            producerId < 0 ? -1 : sequence,
            transactional,
            -1);
    for (int i = 0; i < keysAndValues.length; i += 2) {
      String value = keysAndValues[i + 1];
      builder.append(
          new SimpleRecord(
              timestampMs,
              String.valueOf(keysAndValues[i]).getBytes(StandardCharsets.UTF_8),
              value == null ? null : value.getBytes(StandardCharsets.UTF_8)));
    }
    return direct(builder.build().buffer());
  }

  /** One batch of a record without a key. */
  public static ByteBuffer keyless(long timestampMs, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return direct(
        MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(timestampMs, bytes)).buffer());
  }

  static ByteBuffer direct(ByteBuffer heap) {
    return ByteBuffer.allocateDirect(heap.remaining()).put(heap).flip();
  }
}
