package dev.tidemark.group;

import dev.tidemark.env.Shard;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer;
import org.apache.kafka.coordinator.common.runtime.Deserializer.UnknownRecordTypeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays an offsets partition into the coordinator, a bounded piece per event so that the shard
 * goes on with other work in between.
 */
final class OffsetsLoader implements CoordinatorLoader<CoordinatorRecord> {
  private static final Logger LOG = LoggerFactory.getLogger(OffsetsLoader.class);

  /** Bytes replayed per event. */
  private static final int STEP_BYTES = 256 * 1024;

  /** How often a partition that is not open yet is looked at again. */
  private static final long WAIT_MS = 10;

  /** How often in all before the load fails: ten minutes. */
  private static final int MAX_WAITS = 60_000;

  private final OffsetsPartitions partitions;
  private final Shard shard;
  private final Deserializer<CoordinatorRecord> deserializer;
  private final LoadCount count;
  private boolean closed;

  OffsetsLoader(
      OffsetsPartitions partitions, Shard shard, Deserializer<CoordinatorRecord> deserializer) {
    this.partitions = partitions;
    this.shard = shard;
    this.deserializer = deserializer;
    this.count = new LoadCount(shard.clock());
  }

  @Override
  public CompletableFuture<LoadSummary> load(
      TopicPartition partition, CoordinatorPlayback<CoordinatorRecord> playback) {
    Load load = new Load(partition, playback);
    count.begin();
    var unused = load.future.whenComplete((done, failure) -> count.end(load.records));
    shard.execute(load::step);
    return load.future;
  }

  @Override
  public void close() {
    closed = true;
  }

  /** One partition on its way into memory. */
  private final class Load {
    private final CompletableFuture<LoadSummary> future = new CompletableFuture<>();
    private final TopicPartition partition;
    private final CoordinatorPlayback<CoordinatorRecord> playback;
    private final long startedMs = shard.clock().wallMs();
    private long offset = -1; // -1 = not begun
    private long committedOffset = -1;
    private long records;
    private long bytes;
    private int waits;

    Load(TopicPartition partition, CoordinatorPlayback<CoordinatorRecord> playback) {
      this.partition = partition;
      this.playback = playback;
    }

    void step() {
      try {
        stepOrThrow();
      } catch (IOException | RuntimeException e) {
        future.completeExceptionally(e);
      }
    }

    private void stepOrThrow() throws IOException {
      if (closed) {
        throw new NotLeaderOrFollowerException("The group coordinator is stopped");
      }
      long end = partitions.logEndOffset(partition);
      if (end < 0) {
        waitForPartition();
        return;
      }
      if (offset < 0) {
        offset = partitions.logStartOffset(partition);
      }
      if (offset >= end) {
        finish();
        return;
      }
      ByteBuffer batches = partitions.read(partition, offset, STEP_BYTES);
      if (batches == null || !batches.hasRemaining()) {
        waitForPartition(); // the high watermark is still on its way to the end
        return;
      }
      bytes += batches.remaining();
      for (MutableRecordBatch batch : MemoryRecords.readableRecords(batches).batches()) {
        replay(batch);
      }
      shard.execute(this::step);
    }

    private void waitForPartition() {
      waits++;
      if (waits > MAX_WAITS) {
        throw new NotLeaderOrFollowerException(partition + " did not open on this broker");
      }
      shard.timers().schedule(WAIT_MS, this::step);
    }

    private void replay(MutableRecordBatch batch) {
      if (batch.nextOffset() <= offset) {
        return; // a read begins with the whole batch that holds its offset
      }
      batch.ensureValid();
      if (batch.isControlBatch()) {
        replayMarker(batch);
      } else {
        for (Record record : batch) {
          if (record.offset() >= offset) {
            replay(batch, record);
          }
        }
      }
      offset = batch.nextOffset();
      long highWatermark = partitions.highWatermark(partition);
      if (offset >= highWatermark) {
        playback.updateLastWrittenOffset(offset);
      }
      if (highWatermark > committedOffset && offset >= highWatermark) {
        committedOffset = highWatermark;
        playback.updateLastCommittedOffset(highWatermark);
      }
    }

    private void replay(MutableRecordBatch batch, Record record) {
      records++;
      ByteBuffer key = record.key();
      if (key == null) {
        LOG.warn("{}: the record at offset {} has no key; skipped", partition, record.offset());
        return;
      }
      try {
        playback.replay(
            record.offset(),
            batch.producerId(),
            batch.producerEpoch(),
            deserializer.deserialize(key, record.value()));
      } catch (UnknownRecordTypeException e) {
        LOG.warn(
            "{}: the record at offset {} is of an unknown type {}, perhaps of a newer version;"
                + " skipped",
            partition,
            record.offset(),
            e.unknownType());
      }
    }

    private void replayMarker(MutableRecordBatch batch) {
      for (Record record : batch) {
        records++;
        ControlRecordType type = ControlRecordType.parse(record.key());
        if (type == ControlRecordType.COMMIT || type == ControlRecordType.ABORT) {
          playback.replayEndTransactionMarker(
              batch.producerId(),
              batch.producerEpoch(),
              type == ControlRecordType.COMMIT
                  ? TransactionResult.COMMIT
                  : TransactionResult.ABORT);
        }
      }
    }

    private void finish() {
      future.complete(new LoadSummary(startedMs, shard.clock().wallMs(), 0, records, bytes));
    }
  }
}
