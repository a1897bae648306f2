package dev.tidemark.replica;

import org.apache.kafka.common.protocol.Errors;

/** A producer's batch that is appended and not yet acknowledged. */
public interface WaitingAcknowledgement {
  /**
   * Called once on the partition's shard: {@link Errors#NONE} when what was waited for has come.
   */
  void onAcknowledged(Errors error);
}
