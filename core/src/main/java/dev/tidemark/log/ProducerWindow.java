package dev.tidemark.log;

import dev.tidemark.protocol.BatchHeader;
import org.jspecify.annotations.Nullable;

/**
 * One producer: its epoch, its last five batches, and its open transaction (KIP-98). Sequences
 * count modulo 2^31.
 */
final class ProducerWindow {
  static final int KEPT_BATCHES = 5;
  static final int NO_SEQUENCE = -1;
  static final short NO_EPOCH = -1;

  private final long producerId;
  private short epoch = NO_EPOCH;
  private int coordinatorEpoch = -1;
  private long lastTimestampMs = -1;
  private long txnFirstOffset = -1;

  private final Batch[] batches = new Batch[KEPT_BATCHES];
  private int batchCount;

  /** Records that came one after the other, as far as this state saw it; for old duplicates. */
  private long unbrokenRecords;

  ProducerWindow(long producerId) {
    this.producerId = producerId;
  }

  /** A batch that was appended. */
  record Batch(int lastSequence, long lastOffset, int offsetDelta, long timestampMs) {
    int firstSequence() {
      return (lastSequence - offsetDelta) & Integer.MAX_VALUE;
    }

    long firstOffset() {
      return lastOffset - offsetDelta;
    }
  }

  long producerId() {
    return producerId;
  }

  short epoch() {
    return epoch;
  }

  int coordinatorEpoch() {
    return coordinatorEpoch;
  }

  long lastTimestampMs() {
    return lastTimestampMs;
  }

  /** First offset of the open transaction, -1 without one. */
  long txnFirstOffset() {
    return txnFirstOffset;
  }

  @Nullable Batch lastBatch() {
    return batchCount == 0 ? null : batches[batchCount - 1];
  }

  int lastSequence() {
    Batch last = lastBatch();
    return last == null ? NO_SEQUENCE : last.lastSequence();
  }

  /** The same batch among the kept ones, or null. */
  @Nullable Batch duplicateOf(BatchHeader batch) {
    if (batch.producerEpoch() != epoch) {
      return null;
    }
    for (int i = batchCount - 1; i >= 0; i--) {
      if (batches[i].firstSequence() == batch.baseSequence()
          && batches[i].lastSequence() == batch.lastSequence()) {
        return batches[i];
      }
    }
    return null;
  }

  /** True when the batch was surely appended once but is older than the kept ones. */
  boolean isOlderThanKept(BatchHeader batch) {
    if (batch.producerEpoch() != epoch || batchCount == 0) {
      return false;
    }
    int behindLast = (lastSequence() - batch.lastSequence()) & Integer.MAX_VALUE;
    int keptRecords = ((lastSequence() - batches[0].firstSequence()) & Integer.MAX_VALUE) + 1;
    return behindLast >= keptRecords && (long) behindLast + batch.recordCount() <= unbrokenRecords;
  }

  /** True when the batch's first sequence follows the last one. */
  boolean follows(int firstSequence) {
    int last = lastSequence();
    return firstSequence == ((last + 1) & Integer.MAX_VALUE);
  }

  void add(BatchHeader batch, long lastOffset) {
    int delta = batch.lastOffsetDelta();
    if (batch.producerEpoch() != epoch) {
      moveToEpoch(batch.producerEpoch());
    } else if (batchCount > 0 && !follows(batch.baseSequence())) {
      unbrokenRecords = 0;
    }
    unbrokenRecords += delta + 1L;
    push(new Batch(batch.lastSequence(), lastOffset, delta, batch.maxTimestampMs()));
    lastTimestampMs = batch.maxTimestampMs();
    if (batch.isTransactional() && txnFirstOffset < 0) {
      txnFirstOffset = lastOffset - delta;
    }
  }

  private void push(Batch batch) {
    if (batchCount == KEPT_BATCHES) {
      System.arraycopy(batches, 1, batches, 0, KEPT_BATCHES - 1);
      batchCount--;
    }
    batches[batchCount++] = batch;
  }

  private void moveToEpoch(short newEpoch) {
    epoch = newEpoch;
    batchCount = 0;
    unbrokenRecords = 0;
  }

  void endTransaction(short markerEpoch, int markerCoordinatorEpoch, long timestampMs) {
    if (markerEpoch != epoch) {
      moveToEpoch(markerEpoch);
    }
    coordinatorEpoch = markerCoordinatorEpoch;
    lastTimestampMs = timestampMs;
    txnFirstOffset = -1;
  }

  /** How many batches are kept, 0 to {@link #KEPT_BATCHES}. */
  int batchCount() {
    return batchCount;
  }

  /** A kept batch; 0 is the oldest. */
  Batch batch(int index) {
    return batches[index];
  }

  /**
   * Takes in an entry of a snapshot, which follows those taken in before; {@code next} is null when
   * no batch is kept.
   */
  void restore(
      short newEpoch, @Nullable Batch next, long timestampMs, int newCoordinatorEpoch, long txn) {
    if (newEpoch != epoch) {
      moveToEpoch(newEpoch);
    }
    if (next != null) {
      if (batchCount > 0 && !follows(next.firstSequence())) {
        unbrokenRecords = 0;
      }
      unbrokenRecords += next.offsetDelta() + 1L;
      push(next);
    }
    lastTimestampMs = timestampMs;
    coordinatorEpoch = newCoordinatorEpoch;
    txnFirstOffset = txn;
  }

  ProducerEntry entry() {
    return new ProducerEntry(
        producerId, epoch, lastSequence(), lastTimestampMs, coordinatorEpoch, txnFirstOffset);
  }
}
