package dev.tidemark.replica;

import dev.tidemark.log.PartitionLog;
import java.io.IOException;

/** What the broker has written down of its logs beside them. */
@FunctionalInterface
public interface Checkpoints {
  /**
   * The log has become shorter. Returns once no durable checkpoint claims more of it than there is:
   * a recovery point above the end would make what is appended next look like damage after a crash,
   * and an offset of the cleaner above it would let tombstones that are appended next go before the
   * values they delete.
   */
  void lower(PartitionLog log) throws IOException;
}
