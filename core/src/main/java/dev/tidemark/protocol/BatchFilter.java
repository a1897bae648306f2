package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.OptionalLong;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetention;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetentionResult;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Takes records out of stored batches. What stays keeps its offset, so batches get gaps; a batch
 * from which records went is written anew with its own codec. A batch that keeps tombstones, or the
 * marker of an empty transaction, gets its delete horizon in the base timestamp (KIP-534).
 */
public final class BatchFilter {
  private final Rules rules;
  private ByteBuffer target;

  /** Decides what stays. Asked about a batch first, then about each of its records. */
  public interface Rules {
    /** What becomes of a batch. */
    Fate fateOf(Batch batch);

    /** True when a record stays. */
    boolean keeps(Batch batch, long offset, @Nullable ByteBuffer key, boolean isTombstone);
  }

  /** What becomes of a batch. */
  public enum Fate {
    /** It goes with all its records. */
    GOES,
    /** It goes when no record stays. */
    GOES_IF_EMPTY,
    /** Its header stays when no record does. */
    STAYS_IF_EMPTY,
    /** The marker of a transaction without records: it stays, and its time to go begins. */
    STAYS_AS_EMPTY_MARKER,
    /** The same, of a batch whose header is to stay for ever. */
    STAYS_IF_EMPTY_AS_EMPTY_MARKER
  }

  /**
   * Facts of a batch.
   *
   * @param commit of a transaction marker whether it commits; null for all other batches
   * @param deleteHorizonMs when its tombstones or its marker may go, wall clock
   */
  public record Batch(
      long baseOffset,
      long lastOffset,
      long producerId,
      short producerEpoch,
      boolean isTransactional,
      boolean isControl,
      @Nullable Boolean commit,
      OptionalLong deleteHorizonMs) {}

  /** {@code bufferBytes}: what the filtered batches usually need. */
  public BatchFilter(Rules rules, int bufferBytes) {
    this.rules = rules;
    this.target = ByteBuffer.allocate(bufferBytes);
  }

  /**
   * Filters whole batches.
   *
   * @param deleteRetentionMs how long from now tombstones stay
   * @return what stays, valid until the next call
   */
  public ByteBuffer filter(ByteBuffer batches, long nowMs, long deleteRetentionMs) {
    target.clear();
    ByteBuffer filtered =
        MemoryRecords.readableRecords(batches)
            .filterTo(
                new Adapter(nowMs, deleteRetentionMs), target, Codecs.buffers(), Integer.MAX_VALUE)
            .outputBuffer();
    target = filtered;
    return filtered.flip();
  }

  private static Batch facts(RecordBatch batch) {
    Boolean commit = null;
    Iterator<Record> records = batch.isControlBatch() ? batch.iterator() : null;
    if (records != null && records.hasNext()) {
      ControlRecordType type = ControlRecordType.parse(records.next().key());
      commit =
          switch (type) {
            case COMMIT -> Boolean.TRUE;
            case ABORT -> Boolean.FALSE;
            default -> null;
          };
    }
    return new Batch(
        batch.baseOffset(),
        batch.lastOffset(),
        batch.producerId(),
        batch.producerEpoch(),
        batch.isTransactional(),
        batch.isControlBatch(),
        commit,
        batch.deleteHorizonMs());
  }

  private final class Adapter extends RecordFilter {
    private @Nullable Batch current;

    Adapter(long nowMs, long deleteRetentionMs) {
      super(nowMs, deleteRetentionMs);
    }

    @Override
    protected BatchRetentionResult checkBatchRetention(RecordBatch batch) {
      Batch facts = facts(batch);
      current = facts;
      return switch (rules.fateOf(facts)) {
        case GOES -> new BatchRetentionResult(BatchRetention.DELETE, false);
        case GOES_IF_EMPTY -> new BatchRetentionResult(BatchRetention.DELETE_EMPTY, false);
        case STAYS_IF_EMPTY -> new BatchRetentionResult(BatchRetention.RETAIN_EMPTY, false);
        case STAYS_AS_EMPTY_MARKER -> new BatchRetentionResult(BatchRetention.DELETE_EMPTY, true);
        case STAYS_IF_EMPTY_AS_EMPTY_MARKER ->
            new BatchRetentionResult(BatchRetention.RETAIN_EMPTY, true);
      };
    }

    @Override
    protected boolean shouldRetainRecord(RecordBatch batch, Record record) {
      Batch facts = current;
      return facts != null && rules.keeps(facts, record.offset(), record.key(), !record.hasValue());
    }
  }
}
