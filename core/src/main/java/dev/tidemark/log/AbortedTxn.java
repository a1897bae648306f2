package dev.tidemark.log;

/**
 * An aborted transaction (KIP-98).
 *
 * @param producerId whose it was
 * @param firstOffset its first record
 * @param lastOffset its abort marker, inclusive
 * @param lastStableOffset the last stable offset right after the abort
 */
public record AbortedTxn(
    long producerId, long firstOffset, long lastOffset, long lastStableOffset) {}
