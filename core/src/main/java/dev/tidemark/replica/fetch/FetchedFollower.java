package dev.tidemark.replica.fetch;

import dev.tidemark.replica.FetchPosition;
import dev.tidemark.replica.PartitionFollower;
import org.jspecify.annotations.Nullable;

/** A follower in the care of a fetcher, and what the leader's session knows of it. */
final class FetchedFollower {
  final PartitionFollower follower;
  final PartitionKey key;

  /** The position that the session at the leader holds; null when it is not in the session. */
  @Nullable FetchPosition told;

  /** Something was asked or is waited for that ends by an event of its own. */
  boolean resting;

  /** Which question for offsets an answer or a timer is about. */
  long questionNumber;

  FetchedFollower(PartitionFollower follower) {
    this.follower = follower;
    this.key = PartitionKey.of(follower.log().id());
  }

  /** True when the leader has to be told where it is; a new high watermark alone can wait. */
  boolean hasNews() {
    FetchPosition known = told;
    if (known == null) {
      return true;
    }
    FetchPosition now = follower.position();
    return known.fetchOffset() != now.fetchOffset()
        || known.lastFetchedEpoch() != now.lastFetchedEpoch()
        || known.leaderEpoch() != now.leaderEpoch()
        || known.logStartOffset() != now.logStartOffset();
  }
}
