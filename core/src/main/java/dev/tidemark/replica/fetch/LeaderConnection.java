package dev.tidemark.replica.fetch;

import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The way to one broker that leads partitions. Answers come on the caller's shard, later than the
 * call, each at most once. Not promised: that an answer comes at all.
 */
public interface LeaderConnection {
  /** Sends a fetch; connects if need be. */
  void fetch(FetchRequestData request, FetchReply reply);

  /** Asks where a partition's log starts and ends there (ListOffsets as a replica). */
  void askOffsets(OffsetsQuestion question, OffsetsReply reply);

  /** Drops the connection: an answer that is still to come is not wanted any more. */
  void drop();

  /** Hears the end of a fetch. */
  @FunctionalInterface
  interface FetchReply {
    /**
     * Buffers in the response may be used within the call only.
     *
     * @param response null if and only if there is an {@code error}, one of transport
     */
    void onReply(Errors error, @Nullable FetchResponseData response);
  }

  /** Hears a leader's offsets. */
  @FunctionalInterface
  interface OffsetsReply {
    /** With an {@code error} the offsets are -1. */
    void onReply(Errors error, long logStartOffset, long logEndOffset);
  }
}
