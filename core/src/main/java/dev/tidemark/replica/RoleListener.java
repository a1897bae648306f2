package dev.tidemark.replica;

import dev.tidemark.log.LogId;

/**
 * Hears on the shard whom a replica follows, so that somebody fetches for it. Called at the end of
 * each {@link HostedReplica#apply} that leaves it a follower, and when it is one no longer.
 */
public interface RoleListener {
  /** Hears nothing: for a broker that is alone in its cluster. */
  RoleListener NONE =
      new RoleListener() {
        @Override
        public void onFollowing(PartitionFollower follower) {
          // Its replicas wait for metadata that name a leader.
        }

        @Override
        public void onFollowingEnded(PartitionFollower follower) {
          // Nobody fetched for it.
        }
      };

  /** It follows {@link PartitionFollower#leaderId}, maybe as before; -1 is nobody. */
  void onFollowing(PartitionFollower follower);

  /** Its role ends. */
  void onFollowingEnded(PartitionFollower follower);

  /** It leads a partition that another broker led before. */
  default void onElected(LogId partition, ElectionLoss loss) {}
}
