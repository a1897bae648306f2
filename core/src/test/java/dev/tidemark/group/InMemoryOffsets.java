package dev.tidemark.group;

import dev.tidemark.metadata.FakeShard;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.jspecify.annotations.Nullable;

/** Offsets partitions in memory whose high watermark follows the end one event later. */
public final class InMemoryOffsets implements OffsetsPartitions {
  private final FakeShard shard;
  private final Map<TopicPartition, Log> logs = new HashMap<>();
  private boolean open = true;

  public InMemoryOffsets(FakeShard shard) {
    this.shard = shard;
  }

  /** The same logs for a new run on another shard. */
  public InMemoryOffsets movedTo(FakeShard other) {
    InMemoryOffsets moved = new InMemoryOffsets(other);
    logs.forEach(
        (partition, log) -> {
          Log copy = moved.log(partition);
          copy.batches.addAll(log.batches);
          copy.end = log.end;
          copy.highWatermark = log.end;
        });
    return moved;
  }

  /** Whether the partitions are there yet. */
  public void setOpen(boolean isOpen) {
    open = isOpen;
  }

  /** Bytes in all logs. */
  public long bytes() {
    return logs.values().stream()
        .flatMap(log -> log.batches.stream())
        .mapToLong(b -> b.length)
        .sum();
  }

  private Log log(TopicPartition partition) {
    return logs.computeIfAbsent(partition, key -> new Log());
  }

  @Override
  public long append(TopicPartition partition, ByteBuffer records) {
    if (!open) {
      throw new NotLeaderOrFollowerException("closed");
    }
    Log log = log(partition);
    ByteBuffer copy = ByteBuffer.allocate(records.remaining()).put(records.duplicate()).flip();
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(copy).batches()) {
      long count = batch.lastOffset() - batch.baseOffset() + 1;
      batch.setLastOffset(log.end + count - 1);
      log.end += count;
    }
    log.batches.add(copy.array());
    shard.execute(
        () -> {
          log.highWatermark = log.end;
          List.copyOf(log.listeners).forEach(l -> l.onHighWatermark(partition, log.highWatermark));
        });
    return log.end;
  }

  @Override
  public @Nullable ByteBuffer read(TopicPartition partition, long startOffset, int maxBytes) {
    if (!open) {
      return null;
    }
    for (byte[] bytes : log(partition).batches) {
      for (MutableRecordBatch batch :
          MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches()) {
        if (batch.lastOffset() >= startOffset) {
          return ByteBuffer.wrap(bytes);
        }
      }
    }
    return ByteBuffer.allocate(0);
  }

  @Override
  public long logStartOffset(TopicPartition partition) {
    return open ? 0 : -1;
  }

  @Override
  public long highWatermark(TopicPartition partition) {
    return open ? log(partition).highWatermark : -1;
  }

  @Override
  public long logEndOffset(TopicPartition partition) {
    return open ? log(partition).end : -1;
  }

  @Override
  public void addHighWatermarkListener(TopicPartition partition, HighWatermarkListener listener) {
    log(partition).listeners.add(listener);
  }

  @Override
  public void removeHighWatermarkListener(
      TopicPartition partition, HighWatermarkListener listener) {
    log(partition).listeners.remove(listener);
  }

  private static final class Log {
    final List<byte[]> batches = new ArrayList<>();
    final List<HighWatermarkListener> listeners = new ArrayList<>();
    long end;
    long highWatermark;
  }
}
