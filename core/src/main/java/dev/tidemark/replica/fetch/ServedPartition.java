package dev.tidemark.replica.fetch;

import dev.tidemark.protocol.FetchedPartitionData;
import dev.tidemark.protocol.FileRecords;
import dev.tidemark.protocol.ReceivedRequest;
import dev.tidemark.replica.FollowerAnswer;
import dev.tidemark.replica.FollowerFetch;
import dev.tidemark.replica.LeaderObserver;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A partition in a follower's session: what it asked last, and what it was told last. */
final class ServedPartition implements LeaderObserver {
  private static final Logger LOG = LoggerFactory.getLogger(ServedPartition.class);

  /** Who answers for it. */
  interface Owner {
    /** There is something to answer at once. */
    void onNews(ServedPartition partition);

    /** There is something that may wait for other news to ride on. */
    void onMinorNews(ServedPartition partition);
  }

  final PartitionKey key;
  private final LedPartitions source;
  private final Owner owner;
  private @Nullable PartitionLeader leader;
  private FollowerFetch asked;
  private long toldHighWatermark;
  private long toldLogStartOffset;
  private int toldError;

  /** Among those that may have something to answer. */
  boolean queued;

  /** Among those whose records wait for a quota. */
  boolean withheld;

  ServedPartition(PartitionKey key, FollowerFetch asked, LedPartitions source, Owner owner) {
    this.key = key;
    this.asked = asked;
    this.source = source;
    this.owner = owner;
  }

  /**
   * The follower asks, and tells where it is: it may have dropped what it was told before, an error
   * or a high watermark, since it has heard of a new epoch meanwhile.
   */
  void ask(FollowerFetch question) {
    asked = question;
    toldError = Errors.NONE.code();
    toldHighWatermark = question.highWatermark();
    toldLogStartOffset = question.logStartOffset();
    attach();
    if (leader != null) {
      leader.note(question);
    }
  }

  private void attach() {
    PartitionLeader now = source.find(key.topicId(), key.partition());
    if (now != leader) {
      detach();
      leader = now;
      if (now != null) {
        now.addObserver(this);
      }
    }
  }

  /** Hears of nothing any more. */
  void detach() {
    if (leader != null) {
      leader.removeObserver(this);
      leader = null;
    }
  }

  @Override
  public void onLogEnd(PartitionLeader partition) {
    owner.onNews(this);
  }

  @Override
  public void onHighWatermark(PartitionLeader partition) {
    if (partition.highWatermark() != toldHighWatermark) {
      owner.onMinorNews(this);
    }
  }

  @Override
  public void onLowWatermark(PartitionLeader partition) {
    if (withheld && isInSync(partition)) {
      owner.onNews(this); // it has joined the ISR, where nothing is withheld
    }
    if (partition.log().logStartOffset() != toldLogStartOffset) {
      owner.onMinorNews(this);
    }
  }

  @Override
  public void onLeadershipChanged(PartitionLeader partition) {
    owner.onNews(this);
  }

  private boolean isInSync(PartitionLeader partition) {
    return partition.inSyncReplicas().contains(asked.replicaId());
  }

  // --- answering ---

  /** True when its leader's part of the traffic counts for the throttle. */
  boolean isUnder(ReplicationThrottle throttle) {
    return leader != null && throttle.covers(leader.log().id());
  }

  /** True when its records wait while the throttle is used up: not those for a follower in sync. */
  boolean waitsFor(ReplicationThrottle throttle) {
    attach();
    return leader != null && throttle.covers(leader.log().id()) && !isInSync(leader);
  }

  /** What there is to answer now. Whoever gets it sends or {@linkplain #release releases} it. */
  PartitionData read(int maxBytes, boolean atLeastOneBatch) {
    attach();
    if (leader == null) {
      return refused(source.missing(key.topicId(), key.partition(), asked.leaderEpoch()));
    }
    try {
      return toData(leader.read(asked.within(maxBytes, atLeastOneBatch)));
    } catch (IOException e) {
      LOG.warn(
          "Read of {} at {} failed: {}", leader.log().id(), asked.fetchOffset(), e.getMessage());
      return refused(Errors.KAFKA_STORAGE_ERROR);
    }
  }

  private PartitionData refused(Errors error) {
    return FetchResponse.partitionResponse(key.partition(), error).setAbortedTransactions(null);
  }

  private PartitionData toData(FollowerAnswer answer) {
    if (answer.error() != Errors.NONE) {
      return refused(answer.error());
    }
    PartitionData data =
        new PartitionData()
            .setPartitionIndex(key.partition())
            .setHighWatermark(answer.highWatermark())
            .setLastStableOffset(FetchResponse.INVALID_LAST_STABLE_OFFSET)
            .setLogStartOffset(answer.logStartOffset())
            .setAbortedTransactions(null)
            .setRecords(ReceivedRequest.NO_RECORDS);
    if (answer.diverging() != null) {
      data.setDivergingEpoch(
          new EpochEndOffset()
              .setEpoch(answer.diverging().epoch())
              .setEndOffset(answer.diverging().endOffsetExclusive()));
    } else if (answer.read() != null && answer.read().slice() != null) {
      data.setRecords(new FileRecords(answer.read().slice()));
    }
    return FetchedPartitionData.withLogEndOffset(data, answer.logEndOffset());
  }

  /** True when an answer must not wait: records, an error that was not told, a divergence. */
  boolean isNews(PartitionData data) {
    return FetchResponse.recordsSize(data) > 0
        || data.errorCode() != toldError
        || FetchResponse.isDivergingEpoch(data);
  }

  /** True when an answer tells something that was not told before. */
  boolean isMinorNews(PartitionData data) {
    return data.errorCode() == Errors.NONE.code()
        && (data.highWatermark() != toldHighWatermark
            || data.logStartOffset() != toldLogStartOffset);
  }

  /** It is sent. */
  void noteTold(PartitionData data) {
    toldError = data.errorCode();
    if (data.errorCode() == Errors.NONE.code()) {
      toldHighWatermark = data.highWatermark();
      toldLogStartOffset = data.logStartOffset();
    }
  }

  /** True when the log has more than was sent in {@code data}. */
  boolean hasMoreThan(PartitionData data) {
    return leader != null
        && data.errorCode() == Errors.NONE.code()
        && !FetchResponse.isDivergingEpoch(data)
        && FetchResponse.recordsSize(data) == 0
        && leader.log().logEndOffset() > asked.fetchOffset();
  }

  static void release(PartitionData data) {
    if (data.records() instanceof FileRecords records) {
      records.release();
    }
  }
}
