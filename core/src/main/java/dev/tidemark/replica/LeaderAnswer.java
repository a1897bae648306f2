package dev.tidemark.replica;

import dev.tidemark.log.EpochEnd;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * What a leader answered to a follower's fetch of one partition.
 *
 * @param highWatermark the leader's
 * @param logStartOffset the leader's
 * @param logEndOffset the leader's, -1 when it did not tell
 * @param diverging where the last fetched epoch ends at the leader, if the logs part there
 * @param records whole batches from position to limit; a last one may be cut off. Null for none.
 *     Read within the call only
 */
public record LeaderAnswer(
    Errors error,
    long highWatermark,
    long logStartOffset,
    long logEndOffset,
    @Nullable EpochEnd diverging,
    @Nullable ByteBuffer records) {
  public static LeaderAnswer failed(Errors error) {
    return new LeaderAnswer(error, -1, -1, -1, null, null);
  }
}
