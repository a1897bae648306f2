package dev.tidemark.replica;

/**
 * What a follower last heard of its leader's log.
 *
 * @param logEndOffset the leader's log end offset, exclusive; -1 when nothing was heard of it
 * @param seenMs when that was heard, on this broker's monotonic clock
 */
public record SeenLeader(int leaderId, int leaderEpoch, long logEndOffset, long seenMs) {}
