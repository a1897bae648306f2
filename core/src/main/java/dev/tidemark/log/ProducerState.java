package dev.tidemark.log;

import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.protocol.BatchRecords.EndMarker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The idempotent and transactional producers of a log (KIP-98): what their next batches must look
 * like, and which transactions are open. It follows from the batches alone, so it can be rebuilt.
 */
public final class ProducerState {
  private static final Comparator<ProducerWindow> BY_ID =
      Comparator.comparingLong(ProducerWindow::producerId);

  /** Shared by all logs without producers or transactions; never written to. */
  private static final Map<Long, ProducerWindow> NO_PRODUCERS = new HashMap<>(0);

  private static final NavigableMap<Long, Long> NO_TRANSACTIONS = new TreeMap<>();

  private final LogId log;
  private Map<Long, ProducerWindow> producers = NO_PRODUCERS;

  /** Open transactions: first offset to producer. */
  private NavigableMap<Long, Long> open = NO_TRANSACTIONS;

  /** Ended ones whose marker may not be replicated yet: first offset to the marker's offset. */
  private NavigableMap<Long, Long> ended = NO_TRANSACTIONS;

  ProducerState(LogId log) {
    this.log = log;
  }

  /** All known producers, by id. */
  public List<ProducerEntry> entries() {
    List<ProducerEntry> entries = new ArrayList<>();
    for (ProducerWindow window : sorted()) {
      entries.add(window.entry());
    }
    return entries;
  }

  /** The producer with this id, or null. */
  public @Nullable ProducerEntry entry(long producerId) {
    ProducerWindow window = producers.get(producerId);
    return window == null ? null : window.entry();
  }

  List<ProducerWindow> sorted() {
    List<ProducerWindow> windows = new ArrayList<>(producers.values());
    windows.sort(BY_ID);
    return windows;
  }

  /** The appended batch of which this one is a repetition, or null. */
  ProducerWindow.@Nullable Batch duplicateOf(BatchHeader batch) {
    ProducerWindow window = producers.get(batch.producerId());
    return window == null ? null : window.duplicateOf(batch);
  }

  /** Refuses a batch of a client that is not the next one of its producer. */
  void checkClientBatch(BatchHeader batch) throws RefusedAppend {
    ProducerWindow window = producers.get(batch.producerId());
    if (window == null) {
      return;
    }
    checkEpoch(window, batch);
    if (batch.producerEpoch() != window.epoch()) {
      if (batch.baseSequence() != 0 && window.epoch() != ProducerWindow.NO_EPOCH) {
        throw outOfOrder(window, batch);
      }
    } else if (window.lastSequence() != ProducerWindow.NO_SEQUENCE
        ? !window.follows(batch.baseSequence())
        : batch.baseSequence() != 0) {
      if (window.isOlderThanKept(batch)) {
        throw new RefusedAppend(
            Errors.DUPLICATE_SEQUENCE_NUMBER,
            text(batch) + " was appended before and is older than the batches that are kept.");
      }
      throw outOfOrder(window, batch);
    }
    if (!batch.isTransactional() && window.txnFirstOffset() >= 0) {
      throw new RefusedAppend(
          Errors.INVALID_TXN_STATE,
          text(batch) + " is not transactional, but its producer has an open transaction.");
    }
  }

  /** Refuses a batch of an older epoch of its producer. */
  void checkEpoch(BatchHeader batch) throws RefusedAppend {
    ProducerWindow window = producers.get(batch.producerId());
    if (window != null) {
      checkEpoch(window, batch);
    }
  }

  private void checkEpoch(ProducerWindow window, BatchHeader batch) throws RefusedAppend {
    if (batch.producerEpoch() < window.epoch()) {
      throw new RefusedAppend(
          Errors.INVALID_PRODUCER_EPOCH,
          text(batch)
              + " has the producer epoch "
              + batch.producerEpoch()
              + ", the latest one is "
              + window.epoch()
              + ".");
    }
  }

  /** Refuses a transaction marker of a coordinator that was replaced. */
  void checkMarker(BatchHeader batch, EndMarker marker) throws RefusedAppend {
    ProducerWindow window = producers.get(batch.producerId());
    if (window != null && marker.coordinatorEpoch() < window.coordinatorEpoch()) {
      throw new RefusedAppend(
          Errors.TRANSACTION_COORDINATOR_FENCED,
          text(batch)
              + " is a marker of coordinator epoch "
              + marker.coordinatorEpoch()
              + ", the latest one is "
              + window.coordinatorEpoch()
              + ".");
    }
  }

  private RefusedAppend outOfOrder(ProducerWindow window, BatchHeader batch) {
    return new RefusedAppend(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        text(batch)
            + " begins with sequence "
            + batch.baseSequence()
            + " of epoch "
            + batch.producerEpoch()
            + ", the last one is "
            + window.lastSequence()
            + " of epoch "
            + window.epoch()
            + ".");
  }

  private String text(BatchHeader batch) {
    return "The batch of producer " + batch.producerId() + " for " + log;
  }

  private ProducerWindow window(long producerId) {
    if (producers == NO_PRODUCERS) {
      producers = new HashMap<>(2);
    }
    return producers.computeIfAbsent(producerId, ProducerWindow::new);
  }

  private void noteOpen(ProducerWindow window) {
    if (open == NO_TRANSACTIONS) {
      open = new TreeMap<>();
    }
    open.put(window.txnFirstOffset(), window.producerId());
  }

  /** Takes in a data batch that stands in the log; nothing is refused (KAFKA-6003). */
  void added(BatchHeader batch) {
    ProducerWindow window = window(batch.producerId());
    long openBefore = window.txnFirstOffset();
    window.add(batch, batch.lastOffset());
    if (window.txnFirstOffset() != openBefore) {
      noteOpen(window);
    }
  }

  /** Takes in a marker; returns the transaction if it is an aborted one. */
  @Nullable AbortedTxn ended(BatchHeader batch, EndMarker marker) {
    ProducerWindow window = window(batch.producerId());
    long firstOffset = window.txnFirstOffset();
    long markerOffset = batch.lastOffset();
    window.endTransaction(batch.producerEpoch(), marker.coordinatorEpoch(), batch.maxTimestampMs());
    if (firstOffset < 0) {
      return null;
    }
    open.remove(firstOffset);
    long stable = Math.min(firstKey(open), markerOffset + 1);
    if (ended == NO_TRANSACTIONS) {
      ended = new TreeMap<>();
    }
    ended.put(firstOffset, markerOffset);
    return marker.commit()
        ? null
        : new AbortedTxn(batch.producerId(), firstOffset, markerOffset, stable);
  }

  /**
   * The first offset that a read of committed data must not reach: that of the oldest transaction
   * that is open, or whose end is not below the high watermark.
   */
  long lastStableOffset(long highWatermark) {
    forgetEndedBelow(highWatermark);
    return Math.min(highWatermark, Math.min(firstKey(open), firstKey(ended)));
  }

  private static long firstKey(NavigableMap<Long, Long> transactions) {
    return transactions.isEmpty() ? Long.MAX_VALUE : transactions.firstKey();
  }

  /** Forgets producers that wrote nothing for that long and have no open transaction. */
  int expire(long nowMs, long expirationMs) {
    int before = producers.size();
    if (before == 0) {
      return 0;
    }
    producers
        .values()
        .removeIf(
            window ->
                window.txnFirstOffset() < 0 && nowMs - window.lastTimestampMs() >= expirationMs);
    int expired = before - producers.size();
    if (producers.isEmpty()) {
      producers = NO_PRODUCERS;
    }
    return expired;
  }

  void logStartMovedTo(long logStartOffset) {
    forgetEndedBelow(logStartOffset);
  }

  private void forgetEndedBelow(long offset) {
    if (!ended.isEmpty() && ended.values().removeIf(markerOffset -> markerOffset < offset)) {
      ended = ended.isEmpty() ? NO_TRANSACTIONS : ended;
    }
  }

  void clear() {
    producers = NO_PRODUCERS;
    open = NO_TRANSACTIONS;
    ended = NO_TRANSACTIONS;
  }

  /** Puts in a producer from a snapshot. */
  void restore(ProducerWindow window) {
    if (producers == NO_PRODUCERS) {
      producers = new HashMap<>(2);
    }
    producers.put(window.producerId(), window);
    if (window.txnFirstOffset() >= 0) {
      noteOpen(window);
    }
  }

  /** When the first producer without a transaction expires, wall clock; {@code MAX} if none. */
  long firstExpiryMs(long expirationMs) {
    long oldestMs = Long.MAX_VALUE;
    for (ProducerWindow window : producers.values()) {
      if (window.txnFirstOffset() < 0) {
        oldestMs = Math.min(oldestMs, window.lastTimestampMs());
      }
    }
    return oldestMs > Long.MAX_VALUE - expirationMs ? Long.MAX_VALUE : oldestMs + expirationMs;
  }

  int count() {
    return producers.size();
  }

  boolean isEmpty() {
    return producers.isEmpty();
  }
}
