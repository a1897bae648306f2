package dev.tidemark.replica;

import dev.tidemark.log.PartitionLog;
import java.io.IOException;

/** What the broker has written down of its logs beside them. */
@FunctionalInterface
public interface Checkpoints {
  /**
   * The log is about to end at {@code endOffset}, exclusive. Returns once no durable checkpoint
   * claims more of it: after a crash a recovery point above the end would pass for damage, and an
   * offset of the cleaner above it would let tombstones that are appended next go before the values
   * they delete.
   */
  void lower(PartitionLog log, long endOffset) throws IOException;
}
