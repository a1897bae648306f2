package dev.tidemark.replica;

/**
 * A follower's question for one partition.
 *
 * @param replicaId the follower
 * @param brokerEpoch the follower's registration
 * @param leaderEpoch the epoch in which it believes the leader
 * @param fetchOffset its log end offset, on a topic that syncs its synced end
 * @param lastFetchedEpoch the epoch of its last record, -1 without one
 * @param logStartOffset its log start offset
 * @param highWatermark the high watermark it knows (KIP-1166)
 * @param maxBytes the bound for the records of the answer
 * @param atLeastOneBatch true when the first batch is due even if it is larger than the bound
 */
public record FollowerFetch(
    int replicaId,
    long brokerEpoch,
    int leaderEpoch,
    long fetchOffset,
    int lastFetchedEpoch,
    long logStartOffset,
    long highWatermark,
    int maxBytes,
    boolean atLeastOneBatch) {
  /** The same question with less room for the answer. */
  public FollowerFetch within(int bytes, boolean atLeastOne) {
    return new FollowerFetch(
        replicaId,
        brokerEpoch,
        leaderEpoch,
        fetchOffset,
        lastFetchedEpoch,
        logStartOffset,
        highWatermark,
        Math.min(maxBytes, bytes),
        atLeastOne);
  }
}
