package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * What a replica reads and writes in one partition's part of a Fetch answer, beyond Kafka's plain
 * fields: the records as bytes, and the leader's log end offset in a tagged field of our own, which
 * Kafka's brokers and clients skip.
 */
public final class FetchedPartitionData {
  /** The tag of the leader's log end offset: eight bytes, big-endian. */
  static final int LOG_END_OFFSET_TAG = 10_000;

  private FetchedPartitionData() {}

  /** The records of a received answer, null when there are none. */
  public static @Nullable ByteBuffer recordsOf(PartitionData data) {
    BaseRecords records = data.records();
    return records == null || records.sizeInBytes() == 0
        ? null
        : ((MemoryRecords) records).buffer();
  }

  /** Tells the leader's log end offset. */
  public static PartitionData withLogEndOffset(PartitionData data, long logEndOffset) {
    data.unknownTaggedFields()
        .add(
            new RawTaggedField(
                LOG_END_OFFSET_TAG,
                ByteBuffer.allocate(Long.BYTES).putLong(0, logEndOffset).array()));
    return data;
  }

  /** The leader's log end offset, -1 when it was not told. */
  public static long logEndOffsetOf(PartitionData data) {
    List<RawTaggedField> fields = data.unknownTaggedFields();
    for (RawTaggedField field : fields) {
      if (field.tag() == LOG_END_OFFSET_TAG && field.size() == Long.BYTES) {
        return ByteBuffer.wrap(field.data()).getLong();
      }
    }
    return -1;
  }
}
