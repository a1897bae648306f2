package dev.tidemark.log;

/**
 * Where an append went.
 *
 * @param baseOffset offset of the first record; of a duplicate, the offset it got the first time
 * @param lastOffset offset of the last record, inclusive
 * @param logAppendTimeMs the broker's time that was written into the batch, or -1 when the topic
 *     keeps the producer's time; of a duplicate, the newest timestamp of the batch either way, as
 *     Kafka answers
 * @param logStartOffset the log start offset at that moment
 * @param duplicate true when the batch was in the log already and nothing was written
 */
public record AppendResult(
    long baseOffset,
    long lastOffset,
    long logAppendTimeMs,
    long logStartOffset,
    boolean duplicate) {}
