package dev.tidemark.replica;

/** Told on the partition's shard when the high watermark has moved, or the role has ended. */
@FunctionalInterface
public interface HighWatermarkListener {
  /** Returns true to be told again, false to be forgotten. */
  boolean onHighWatermark(PartitionReplica partition);
}
