package dev.tidemark.quorum;

/**
 * When a node of the quorum loses patience, by Kafka's keys, in milliseconds.
 *
 * @param electionTimeoutMs controller.quorum.election.timeout.ms: without a leader so long, a voter
 *     asks for votes
 * @param electionBackoffMaxMs controller.quorum.election.backoff.max.ms: the longest pause between
 *     two of its elections
 * @param fetchTimeoutMs controller.quorum.fetch.timeout.ms: a follower that could not fetch so long
 *     asks for votes, and a leader that a majority does not fetch from gives up after 1.5 times it
 * @param requestTimeoutMs controller.quorum.request.timeout.ms
 * @param retryBackoffMs controller.quorum.retry.backoff.ms
 * @param fetchMaxWaitMs how long the leader lets a fetch wait for records
 */
public record QuorumTimeouts(
    int electionTimeoutMs,
    int electionBackoffMaxMs,
    int fetchTimeoutMs,
    int requestTimeoutMs,
    int retryBackoffMs,
    int fetchMaxWaitMs) {
  /** Shorter than Kafka's where a failover waits for it. */
  public static final QuorumTimeouts DEFAULTS = new QuorumTimeouts(300, 1000, 1000, 2000, 20, 300);
}
