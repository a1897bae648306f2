package dev.tidemark.group;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of {@code __consumer_offsets} that this broker leads, as the group coordinator
 * uses them. Owned by the data shard.
 */
public interface OffsetsPartitions {
  /**
   * Appends the batches in {@code records}, position to limit, in the leader's current epoch.
   * Offsets are assigned; the bytes are copied before this returns. Returns the new log end offset,
   * exclusive. Listeners hear of a new high watermark only after this returned. Throws Kafka's
   * exceptions, e.g. NOT_LEADER_OR_FOLLOWER's or NOT_ENOUGH_REPLICAS's.
   */
  long append(TopicPartition partition, ByteBuffer records);

  /**
   * Whole batches from {@code startOffset} on, copied into a buffer of at most about {@code
   * maxBytes} (one batch may be larger) that the caller owns; empty at the end. Null if the
   * partition is not led here.
   */
  @Nullable ByteBuffer read(TopicPartition partition, long startOffset, int maxBytes)
      throws IOException;

  /** First offset in the log, or -1 if the partition is not led here. */
  long logStartOffset(TopicPartition partition);

  /** End of what may be read, exclusive, or -1 if the partition is not led here. */
  long highWatermark(TopicPartition partition);

  /** End of the log, exclusive, or -1 if the partition is not led here. */
  long logEndOffset(TopicPartition partition);

  /** Calls {@code listener} with every new high watermark of the partition from now on. */
  void addHighWatermarkListener(TopicPartition partition, HighWatermarkListener listener);

  void removeHighWatermarkListener(TopicPartition partition, HighWatermarkListener listener);

  /** Hears of a partition's high watermark, on the data shard, never within an append. */
  @FunctionalInterface
  interface HighWatermarkListener {
    void onHighWatermark(TopicPartition partition, long highWatermarkExclusive);
  }
}
