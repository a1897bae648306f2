package dev.tidemark.log;

/**
 * What the log knows of one idempotent producer.
 *
 * @param producerId its id
 * @param epoch its latest epoch
 * @param lastSequence sequence of its last record, -1 when unknown
 * @param lastTimestampMs the newest timestamp of its last batch
 * @param coordinatorEpoch epoch of the coordinator that wrote its last marker, -1 without one
 * @param currentTxnFirstOffset first offset of its open transaction, -1 without one
 */
public record ProducerEntry(
    long producerId,
    short epoch,
    int lastSequence,
    long lastTimestampMs,
    int coordinatorEpoch,
    long currentTxnFirstOffset) {}
