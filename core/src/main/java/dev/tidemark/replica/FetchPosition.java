package dev.tidemark.replica;

/**
 * Where a follower goes on, and the state in which it asks. An answer counts only while the
 * follower is still at the position it was asked from.
 *
 * @param leaderId whom to ask
 * @param leaderEpoch the epoch in which that one leads
 * @param fetchOffset the follower's log end offset
 * @param lastFetchedEpoch the epoch of its last record, -1 without one
 * @param logStartOffset its log start offset
 * @param highWatermark the high watermark it knows
 */
public record FetchPosition(
    int leaderId,
    int leaderEpoch,
    long fetchOffset,
    int lastFetchedEpoch,
    long logStartOffset,
    long highWatermark) {}
