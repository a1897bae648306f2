package dev.tidemark.log;

import dev.tidemark.protocol.BatchFilter.Batch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a log while its batches pass in order: which data was aborted, and which
 * markers end a transaction of which no batch is left (KAFKA-5196).
 */
final class CleanedTransactions {
  private final Deque<AbortedTxn> coming;
  private final Map<Long, AbortedTxn> aborted = new HashMap<>();
  private final Set<Long> withData = new HashSet<>();

  /** {@code aborted}: of all that passes, by first offset. */
  CleanedTransactions(List<AbortedTxn> aborted) {
    this.coming = new ArrayDeque<>(aborted);
  }

  private void passTo(long lastOffset) {
    AbortedTxn next = coming.peek();
    while (next != null && next.firstOffset() <= lastOffset) {
      coming.remove();
      aborted.put(next.producerId(), next);
      withData.remove(next.producerId());
      next = coming.peek();
    }
  }

  /** True when a batch of data belongs to an aborted transaction. Called once for each batch. */
  boolean isAborted(Batch batch) {
    return isAborted(
        batch.isTransactional(), batch.producerId(), batch.baseOffset(), batch.lastOffset());
  }

  boolean isAborted(boolean transactional, long producerId, long baseOffset, long lastOffset) {
    passTo(lastOffset);
    if (!transactional) {
      return false;
    }
    withData.add(producerId);
    AbortedTxn txn = aborted.get(producerId);
    return txn != null && baseOffset >= txn.firstOffset() && lastOffset < txn.lastOffset();
  }

  /** True when no batch of the marker's transaction has passed. Called once for each marker. */
  boolean endsEmpty(Batch marker) {
    passTo(marker.lastOffset());
    return marker.commit() != null && !withData.remove(marker.producerId());
  }

  /** The aborted transaction that a marker ended, or null; called after {@link #endsEmpty}. */
  @Nullable AbortedTxn endedBy(Batch marker) {
    AbortedTxn txn = aborted.get(marker.producerId());
    if (txn == null || txn.lastOffset() != marker.lastOffset()) {
      return null;
    }
    aborted.remove(marker.producerId());
    return txn;
  }
}
