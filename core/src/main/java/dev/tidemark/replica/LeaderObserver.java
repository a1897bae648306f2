package dev.tidemark.replica;

/**
 * Follows what happens at a leader for as long as it is registered. Called on the partition's
 * shard, within the call that brings the news about: it may note things, and act later.
 */
public interface LeaderObserver {
  /** Records were appended. */
  void onLogEnd(PartitionLeader partition);

  /** The high watermark has moved. */
  void onHighWatermark(PartitionLeader partition);

  /**
   * The log start offset has moved, here or at a follower, or who counts for {@link
   * PartitionLeader#lowWatermark} is another.
   */
  void onLowWatermark(PartitionLeader partition);

  /** The role has ended, or goes on in a new epoch. */
  void onLeadershipChanged(PartitionLeader partition);
}
