package dev.tidemark.replica;

import java.util.ArrayDeque;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Who waits until the log is safe up to an offset, in the order in which they came. */
final class Acknowledgements {
  private @Nullable ArrayDeque<Waiting> waiting; // most partitions never need one

  private record Waiting(long endOffsetExclusive, WaitingAcknowledgement acknowledgement) {}

  void add(long endOffsetExclusive, WaitingAcknowledgement acknowledgement) {
    if (waiting == null) {
      waiting = new ArrayDeque<>();
    }
    waiting.add(new Waiting(endOffsetExclusive, acknowledgement));
  }

  boolean isEmpty() {
    return waiting == null || waiting.isEmpty();
  }

  /** All below {@code endOffsetExclusive} is safe. */
  void reached(long endOffsetExclusive) {
    while (waiting != null
        && !waiting.isEmpty()
        && waiting.getFirst().endOffsetExclusive() <= endOffsetExclusive) {
      waiting.removeFirst().acknowledgement().onAcknowledged(Errors.NONE);
    }
  }

  void failAll(Errors error) {
    while (waiting != null && !waiting.isEmpty()) {
      waiting.removeFirst().acknowledgement().onAcknowledged(error);
    }
  }
}
