package dev.tidemark.replica;

import dev.tidemark.log.EpochEnd;
import dev.tidemark.log.LogRead;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A leader's answer to a {@link FollowerFetch}; all offsets of one moment. Whoever gets it releases
 * the slice of {@code read}.
 *
 * @param highWatermark the leader's, -1 with an error, as the next two
 * @param logEndOffset the leader's log end offset
 * @param diverging where the follower's last fetched epoch ends at the leader, if before the offset
 *     that was asked for; then there are no records
 * @param read the records, null with an error or a divergence
 */
public record FollowerAnswer(
    Errors error,
    long highWatermark,
    long logStartOffset,
    long logEndOffset,
    @Nullable EpochEnd diverging,
    @Nullable LogRead read) {
  static FollowerAnswer refused(Errors error) {
    return new FollowerAnswer(error, -1, -1, -1, null, null);
  }
}
