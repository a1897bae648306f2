package dev.tidemark.broker.request;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;

/** What a client wants of one partition, and what it was last told of it (KIP-227). */
final class FetchedPartition {
  /** A partition by the name or by the id of its topic, as the client speaks of it. */
  record Key(@Nullable String topic, Uuid topicId, int partition) {}

  private final Key key;
  private long fetchOffset;
  private int leaderEpoch;
  private int lastFetchedEpoch;
  private int maxBytes;
  private long toldHighWatermark = -1;
  private long toldLastStableOffset = -1;
  private long toldLogStartOffset = -1;

  FetchedPartition(Key key) {
    this.key = key;
  }

  Key key() {
    return key;
  }

  long fetchOffset() {
    return fetchOffset;
  }

  /** The leader epoch the client knows, -1 if it does not say. */
  int leaderEpoch() {
    return leaderEpoch;
  }

  int lastFetchedEpoch() {
    return lastFetchedEpoch;
  }

  int maxBytes() {
    return maxBytes;
  }

  void update(FetchPartition wanted) {
    fetchOffset = wanted.fetchOffset();
    leaderEpoch = wanted.currentLeaderEpoch();
    lastFetchedEpoch = wanted.lastFetchedEpoch();
    maxBytes = wanted.partitionMaxBytes();
  }

  /** True if an incremental answer has to name this partition; remembers what it tells. */
  boolean noteTold(PartitionData answer) {
    boolean news =
        FetchResponse.recordsSize(answer) > 0
            || answer.highWatermark() != toldHighWatermark
            || answer.lastStableOffset() != toldLastStableOffset
            || answer.logStartOffset() != toldLogStartOffset
            || FetchResponse.isPreferredReplica(answer)
            || FetchResponse.isDivergingEpoch(answer)
            || answer.errorCode() != Errors.NONE.code();
    toldHighWatermark = answer.highWatermark();
    toldLastStableOffset = answer.lastStableOffset();
    toldLogStartOffset = answer.logStartOffset();
    if (answer.errorCode() != Errors.NONE.code()) {
      toldHighWatermark = -1; // the end of an error is news as well
    }
    return news;
  }
}
