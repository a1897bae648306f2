package dev.tidemark.replica;

/** Told on the partition's shard when the high watermark has moved. */
@FunctionalInterface
public interface HighWatermarkListener {
  /** Returns true to be told again, false to be forgotten. */
  boolean onHighWatermark(PartitionLeader partition);
}
