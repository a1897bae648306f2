package dev.tidemark.log;

/**
 * What a truncation takes out of a log: whole batches.
 *
 * @param firstOffset of the first record
 * @param lastOffset of the last record, inclusive
 * @param firstEpoch leader epoch of the first batch
 * @param lastEpoch leader epoch of the last batch
 * @param records how many records
 * @param recordsBelowHighWatermark how many of them were once below the high watermark
 * @param bytes of all batches
 * @param keptBytes of the batches that were copied, from the first on
 */
public record RemovedTail(
    long firstOffset,
    long lastOffset,
    int firstEpoch,
    int lastEpoch,
    long records,
    long recordsBelowHighWatermark,
    long bytes,
    long keptBytes) {}
