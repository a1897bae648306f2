package dev.tidemark.group;

import dev.tidemark.group.OffsetsPartitions.HighWatermarkListener;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/** The coordinator's appends, on our own partitions. */
final class OffsetsWriter implements PartitionWriter {
  private final OffsetsPartitions partitions;
  private final ToIntFunction<String> maxMessageBytes;
  private final Map<Listener, HighWatermarkListener> listeners = new HashMap<>();
  private LogConfig config = new LogConfig(Map.of());

  /**
   * @param maxMessageBytes of a topic, by its name
   */
  OffsetsWriter(OffsetsPartitions partitions, ToIntFunction<String> maxMessageBytes) {
    this.partitions = partitions;
    this.maxMessageBytes = maxMessageBytes;
  }

  @Override
  public void registerListener(TopicPartition partition, Listener listener) {
    HighWatermarkListener ours = listener::onHighWatermarkUpdated;
    listeners.put(listener, ours);
    partitions.addHighWatermarkListener(partition, ours);
    // The mark may have moved since the partition was loaded.
    long highWatermark = partitions.highWatermark(partition);
    if (highWatermark >= 0) {
      listener.onHighWatermarkUpdated(partition, highWatermark);
    }
  }

  @Override
  public void deregisterListener(TopicPartition partition, Listener listener) {
    HighWatermarkListener ours = listeners.remove(listener);
    if (ours != null) {
      partitions.removeHighWatermarkListener(partition, ours);
    }
  }

  @Override
  public LogConfig config(TopicPartition partition) {
    int maxBytes = maxMessageBytes.applyAsInt(partition.topic());
    if (config.maxMessageSize() != maxBytes) {
      config =
          new LogConfig(Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxBytes)));
    }
    return config;
  }

  @Override
  public long append(
      TopicPartition partition,
      VerificationGuard verificationGuard,
      MemoryRecords records,
      short transactionVersion) {
    return partitions.append(partition, records.buffer());
  }

  @Override
  public CompletableFuture<VerificationGuard> maybeStartTransactionVerification(
      TopicPartition partition,
      String transactionalId,
      long producerId,
      short producerEpoch,
      int apiVersion) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("There are no transactions"));
  }

  @Override
  public CompletableFuture<Void> deleteRecords(TopicPartition partition, long offset) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("Only share groups delete records"));
  }
}
