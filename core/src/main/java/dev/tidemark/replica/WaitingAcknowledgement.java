package dev.tidemark.replica;

import org.apache.kafka.common.protocol.Errors;

/** A producer's batch that is appended and not yet acknowledged. */
public interface WaitingAcknowledgement {
  /**
   * Called once on the partition's shard: {@link Errors#NONE} when the high watermark has passed.
   */
  void onAcknowledged(Errors error);
}
