package dev.tidemark.broker;

import dev.tidemark.env.FileSlice;
import dev.tidemark.env.Shard;
import dev.tidemark.group.OffsetsPartitions;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.LogRead;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.RefusedAppend;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.jspecify.annotations.Nullable;

/** The group coordinator's partitions, as they are hosted here. Owned by the data shard. */
final class HostedOffsetsPartitions implements OffsetsPartitions {
  private final Partitions partitions;
  private final Shard shard;
  private final Map<TopicPartition, List<HighWatermarkListener>> listeners = new HashMap<>();

  HostedOffsetsPartitions(Partitions partitions, Shard shard) {
    this.partitions = partitions;
    this.shard = shard;
  }

  @Override
  public long append(TopicPartition partition, ByteBuffer records) {
    PartitionLeader leader = find(partition);
    if (leader == null) {
      throw new NotLeaderOrFollowerException(partition + " is not led by this broker");
    }
    ByteBuffer copy = ByteBuffer.allocateDirect(records.remaining()).put(records).flip();
    try {
      leader.append(copy, AppendOrigin.COORDINATOR);
      return leader.log().logEndOffset();
    } catch (RefusedAppend e) {
      throw e.error().exception(e.getMessage());
    } catch (IOException e) {
      throw new KafkaStorageException("the append to " + partition + " failed", e);
    }
  }

  @Override
  public @Nullable ByteBuffer read(TopicPartition partition, long startOffset, int maxBytes)
      throws IOException {
    PartitionLeader leader = find(partition);
    if (leader == null) {
      return null;
    }
    try {
      LogRead read = leader.log().read(startOffset, maxBytes, true, leader.highWatermark());
      FileSlice slice = read.slice();
      if (slice == null) {
        return ByteBuffer.allocate(0);
      }
      try {
        ByteBuffer copy = ByteBuffer.allocate(slice.length());
        slice.read(copy, 0);
        return copy.flip();
      } finally {
        slice.release();
      }
    } catch (OffsetOutOfRange e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public long logStartOffset(TopicPartition partition) {
    PartitionLeader leader = find(partition);
    return leader == null ? -1 : leader.log().logStartOffset();
  }

  @Override
  public long highWatermark(TopicPartition partition) {
    PartitionLeader leader = find(partition);
    return leader == null ? -1 : leader.highWatermark();
  }

  @Override
  public long logEndOffset(TopicPartition partition) {
    PartitionLeader leader = find(partition);
    return leader == null ? -1 : leader.log().logEndOffset();
  }

  @Override
  public void addHighWatermarkListener(TopicPartition partition, HighWatermarkListener listener) {
    List<HighWatermarkListener> known = listeners.get(partition);
    if (known != null) {
      known.add(listener);
      return;
    }
    List<HighWatermarkListener> told = new ArrayList<>();
    told.add(listener);
    listeners.put(partition, told);
    PartitionLeader leader = find(partition);
    if (leader != null) {
      leader.addListener(moved -> onHighWatermark(partition, told, moved));
    }
  }

  private boolean onHighWatermark(
      TopicPartition partition, List<HighWatermarkListener> told, PartitionReplica moved) {
    if (told.isEmpty() || moved.isStopped()) {
      return false;
    }
    // Never within the append that moved it: the coordinator has not seen its result yet.
    shard.execute(
        () ->
            List.copyOf(told)
                .forEach(one -> one.onHighWatermark(partition, moved.highWatermark())));
    return true;
  }

  @Override
  public void removeHighWatermarkListener(
      TopicPartition partition, HighWatermarkListener listener) {
    List<HighWatermarkListener> known = listeners.get(partition);
    if (known != null) {
      known.remove(listener);
      if (known.isEmpty()) {
        listeners.remove(partition);
      }
    }
  }

  private @Nullable PartitionLeader find(TopicPartition partition) {
    PartitionLeader leader = partitions.find(partition);
    return leader == null || leader.isStopped() ? null : leader;
  }
}
