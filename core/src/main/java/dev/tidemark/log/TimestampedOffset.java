package dev.tidemark.log;

/**
 * A record found by time.
 *
 * @param timestampMs its timestamp
 * @param offset its offset
 * @param leaderEpoch the epoch of its batch, or -1
 */
public record TimestampedOffset(long timestampMs, long offset, int leaderEpoch) {}
