package dev.tidemark.log;

import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import dev.tidemark.log.CleaningPlan.LastBatch;
import dev.tidemark.protocol.BatchFilter;
import dev.tidemark.protocol.BatchFilter.Batch;
import dev.tidemark.protocol.BatchFilter.Fate;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes what stays of some segments into one, under names that do not count yet. The header of the
 * last batch always stays, so that the new segment ends where the old ones end; so does that of a
 * producer's last batch, for its sequence.
 *
 * <p>Batches whose keys were not read stay byte for byte: what their tombstones delete may still be
 * there. A delete horizon set now would let a later pass, which again may not read that far, remove
 * the tombstones and leave the values.
 */
final class SegmentRewrite implements BatchFilter.Rules {
  private final CleaningPlan plan;
  private final List<CleaningPlan.Source> sources;
  private final OffsetMap map;
  private final long keysReadTo;
  private final BatchReader reader;
  private final CleanedTransactions transactions;
  private final BatchFilter filter;
  private final Segment target;
  private final BatchHeader header = new BatchHeader();
  private int source;
  private int position;
  private long lastBatchOffset = -1;
  private boolean recordsGo;
  private boolean horizonPassed;

  /** {@code map} knows the keys of all batches below {@code keysReadTo}. */
  SegmentRewrite(
      CleaningPlan plan,
      List<CleaningPlan.Source> sources,
      OffsetMap map,
      long keysReadTo,
      BatchReader reader,
      CleanedTransactions transactions,
      int bufferBytes) {
    this.plan = plan;
    this.sources = sources;
    this.map = map;
    this.keysReadTo = keysReadTo;
    this.reader = reader;
    this.transactions = transactions;
    this.filter = new BatchFilter(this, bufferBytes);
    this.target =
        new Segment(new CleanedNames(plan.folder()), sources.get(0).baseOffset(), 0, plan.nowMs());
  }

  List<CleaningPlan.Source> sources() {
    return sources;
  }

  /** Makes the files, in place of what an attempt before has left. */
  void start() throws IOException {
    target.create();
    target.txnIndex().reset();
  }

  /** Copies up to {@code maxBytes}; false when all is copied. */
  boolean step(int maxBytes) throws IOException {
    int left = maxBytes;
    while (left > 0 && source < sources.size()) {
      CleaningPlan.Source from = sources.get(source);
      if (position >= from.size()) {
        source++;
        position = 0;
        continue;
      }
      try (LogFile file = plan.folder().open(from.name(), OpenMode.READ)) {
        ByteBuffer batches = reader.read(file, position, from);
        int bytes = batches.limit();
        if (source == sources.size() - 1 && position + bytes == from.size()) {
          lastBatchOffset = lastOffsetIn(batches);
        }
        int known = endOfKnown(batches);
        if (known > 0) {
          ByteBuffer read = batches.duplicate().limit(known);
          append(filter.filter(read, plan.nowMs(), plan.settings().deleteRetentionMs()));
        }
        copy(batches.position(known));
        position += bytes;
        left -= bytes;
      }
    }
    return source < sources.size();
  }

  private long lastOffsetIn(ByteBuffer batches) {
    for (int at = 0; at < batches.limit(); at += (int) header.sizeInBytes()) {
      header.wrap(batches, at);
    }
    return header.lastOffset();
  }

  /** Where the batches end of which the keys were read. */
  private int endOfKnown(ByteBuffer batches) {
    int at = 0;
    while (at < batches.limit()) {
      header.wrap(batches, at);
      if (header.lastOffset() >= keysReadTo) {
        return at;
      }
      at += (int) header.sizeInBytes();
    }
    return at;
  }

  private void copy(ByteBuffer batches) throws IOException {
    if (!batches.hasRemaining()) {
      return;
    }
    header.wrap(batches, batches.position());
    long first = header.baseOffset();
    long last = lastOffsetIn(batches);
    append(batches);
    for (AbortedTxn txn : plan.abortedByMarker(first, last)) {
      target.txnIndex().append(txn);
    }
  }

  private void append(ByteBuffer batches) throws IOException {
    if (!batches.hasRemaining()) {
      return;
    }
    target.write(batches.duplicate());
    for (int at = batches.position(); at < batches.limit(); at += (int) header.sizeInBytes()) {
      header.wrap(batches, at);
      target.added(header, plan.settings().indexIntervalBytes());
    }
  }

  /** Syncs the new segment; it is whole afterwards. */
  CleanedSegment finish() throws IOException {
    target.seal();
    List<LogFile> files = target.takeUnsynced();
    for (LogFile file : files) {
      file.sync();
    }
    target.unpin();
    SegmentSummary summary = target.summary();
    target.closeNow();
    plan.folder().sync();
    return new CleanedSegment(sources, summary);
  }

  /** Removes what was written. */
  void abandon() throws IOException {
    target.closeNow();
    for (String suffix : FileNames.OF_SEGMENT) {
      plan.folder().delete(FileNames.of(sources.get(0).baseOffset(), suffix) + FileNames.CLEANED);
    }
  }

  // --- what stays ---

  @Override
  public Fate fateOf(Batch batch) {
    horizonPassed =
        batch.deleteHorizonMs().isPresent() && batch.deleteHorizonMs().getAsLong() <= plan.nowMs();
    boolean emptyMarker = batch.isControl() && transactions.endsEmpty(batch);
    recordsGo = batch.isControl() ? emptyMarker && horizonPassed : transactions.isAborted(batch);
    if (batch.isControl() && !recordsGo) {
      keepAborted(batch);
    }
    if (isLastOfProducer(batch) || batch.lastOffset() == lastBatchOffset) {
      return emptyMarker ? Fate.STAYS_IF_EMPTY_AS_EMPTY_MARKER : Fate.STAYS_IF_EMPTY;
    }
    if (recordsGo) {
      return Fate.GOES;
    }
    return emptyMarker ? Fate.STAYS_AS_EMPTY_MARKER : Fate.GOES_IF_EMPTY;
  }

  /** Readers are told of an aborted transaction as long as its marker is there to end it. */
  private void keepAborted(Batch marker) {
    AbortedTxn txn = transactions.endedBy(marker);
    if (txn == null) {
      return;
    }
    try {
      target.txnIndex().append(txn);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isLastOfProducer(Batch batch) {
    LastBatch last = batch.producerId() < 0 ? null : plan.lastBatches().get(batch.producerId());
    if (last == null) {
      return false;
    }
    return last.lastOffset() >= 0
        ? batch.lastOffset() == last.lastOffset()
        : batch.isControl() && batch.producerEpoch() == last.epoch();
  }

  @Override
  public boolean keeps(Batch batch, long offset, @Nullable ByteBuffer key, boolean isTombstone) {
    if (recordsGo || key == null) {
      return false;
    }
    if (batch.isControl()) {
      return true;
    }
    return map.get(key) <= offset && !(isTombstone && horizonPassed);
  }
}
