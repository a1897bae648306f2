package dev.tidemark.log;

import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.protocol.BatchRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the dirty section of a log and notes the latest offset of each key that counts. */
final class KeyScan {
  private final CleaningPlan plan;
  private final OffsetMap map;
  private final BatchReader reader;
  private final CleanedTransactions transactions;
  private int source;
  private int position;
  private long endOffset;

  KeyScan(CleaningPlan plan, OffsetMap map, BatchReader reader) {
    this.plan = plan;
    this.map = map;
    this.reader = reader;
    this.endOffset = plan.section().firstDirtyOffset();
    this.transactions =
        new CleanedTransactions(
            plan.aborted().stream().filter(txn -> txn.lastOffset() >= endOffset).toList());
  }

  /** Keys of what lies below it are in the map. */
  long endOffset() {
    return endOffset;
  }

  /** Reads up to {@code maxBytes}; false when the section or the room for keys has ended. */
  boolean step(int maxBytes) throws IOException {
    int left = maxBytes;
    while (left > 0 && source < plan.sources().size()) {
      CleaningPlan.Source from = plan.sources().get(source);
      if (from.endOffset() <= plan.section().firstDirtyOffset() || position >= from.size()) {
        endOffset = Math.max(endOffset, from.endOffset());
        source++;
        position = 0;
        continue;
      }
      try (LogFile file = plan.folder().open(from.name(), OpenMode.READ)) {
        ByteBuffer batches = reader.read(file, position, from);
        if (!note(batches)) {
          return false;
        }
        left -= batches.limit();
        position += batches.limit();
      }
    }
    return source < plan.sources().size();
  }

  private boolean note(ByteBuffer batches) throws IOException {
    BatchHeader header = new BatchHeader();
    for (int at = 0; at < batches.limit(); at += (int) header.sizeInBytes()) {
      header.wrap(batches, at);
      if (header.lastOffset() < plan.section().firstDirtyOffset()) {
        continue;
      }
      boolean counts = !header.isControl() && !isAborted(header);
      if (counts && !noteKeys(batches, at)) {
        if (endOffset == plan.section().firstDirtyOffset()) {
          throw new IOException(
              "%s: the keys of one batch do not fit into log.cleaner.dedupe.buffer.size; make it larger"
                  .formatted(plan.id()));
        }
        return false;
      }
      endOffset = header.lastOffset() + 1;
    }
    return true;
  }

  private boolean isAborted(BatchHeader header) {
    return transactions.isAborted(
        header.isTransactional(), header.producerId(), header.baseOffset(), header.lastOffset());
  }

  private boolean noteKeys(ByteBuffer batches, int at) {
    boolean[] fits = {true};
    BatchRecords.forEachKey(batches, at, (offset, key) -> fits[0] &= noteKey(offset, key));
    return fits[0];
  }

  /** The section may begin within a batch; there is room for the keys of its own records only. */
  private boolean noteKey(long offset, @Nullable ByteBuffer key) {
    return key == null || offset < plan.section().firstDirtyOffset() || map.put(key, offset);
  }
}
