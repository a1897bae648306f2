package dev.tidemark.log;

/**
 * A segment as it was when it was last looked at.
 *
 * @param baseOffset its name
 * @param size bytes of whole batches
 * @param maxTimestampMs the largest timestamp of its records; {@link Segment#UNKNOWN} when only the
 *     time index says it, -1 when they have none
 * @param offsetOfMaxTimestamp the last offset of the batch that brought it
 */
record SegmentSummary(long baseOffset, int size, long maxTimestampMs, long offsetOfMaxTimestamp) {}
