package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Shard;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.TimestampedOffset;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.jspecify.annotations.Nullable;

/**
 * ListOffsets: the first, the last, or the first offset from a point in time on (KIP-79, KIP-207,
 * KIP-734). Nothing is kept in remote storage, so the local log start is the log start and the
 * questions for remote offsets have the answer "none".
 */
public final class ListOffsetsHandler implements RequestHandler {
  private static final short FIRST_VERSION_WITH_EPOCH = 4;
  private static final short FIRST_VERSION_WITH_NOT_AVAILABLE = 5;
  private static final Errors OLD_NOT_YET = Errors.LEADER_NOT_AVAILABLE;
  private static final long NO_OFFSET = -1;
  private static final long NO_TIMESTAMP = -1;

  /** So long a request may hold the shard at a time, but for its last look-up. */
  private static final long MAX_STEP_NS = 5_000_000;

  private final Partitions partitions;
  private final Shard shard;

  public ListOffsetsHandler(Partitions partitions, Shard shard) {
    this.partitions = partitions;
    this.shard = shard;
  }

  @Override
  public void handle(Request request) {
    new Run(request).proceed();
  }

  /**
   * The look-ups of one request. One by time may have to inflate a batch, so others get their turn
   * in between when they take long.
   */
  private final class Run {
    private final Request request;
    private final ListOffsetsRequestData data;
    private final Set<TopicPartition> duplicates;
    private final boolean readCommitted;
    private final Set<TopicPartition> answered = new HashSet<>();
    private final ListOffsetsResponseData response = new ListOffsetsResponseData();
    private final Iterator<ListOffsetsTopic> topics;
    private Iterator<ListOffsetsPartition> partitionsOfTopic = Collections.emptyIterator();
    private ListOffsetsTopicResponse topic = new ListOffsetsTopicResponse();

    Run(Request request) {
      this.request = request;
      this.data = request.data(ListOffsetsRequestData.class);
      this.duplicates = ((ListOffsetsRequest) request.body()).duplicatePartitions();
      this.readCommitted = data.isolationLevel() == IsolationLevel.READ_COMMITTED.id();
      this.topics = data.topics().iterator();
    }

    void proceed() {
      long startNs = shard.clock().monotonicNs();
      while (partitionsOfTopic.hasNext() || nextTopic()) {
        if (partitionsOfTopic.hasNext()) {
          answer(partitionsOfTopic.next());
        }
        if (shard.clock().monotonicNs() - startNs > MAX_STEP_NS) {
          shard.execute(this::proceedUnlessAbandoned);
          return;
        }
      }
      request.answer(response);
    }

    private void proceedUnlessAbandoned() {
      if (!request.isAbandoned()) {
        request.goOn(this::proceed);
      }
    }

    private boolean nextTopic() {
      if (!topics.hasNext()) {
        return false;
      }
      ListOffsetsTopic next = topics.next();
      topic = new ListOffsetsTopicResponse().setName(next.name());
      response.topics().add(topic);
      partitionsOfTopic = next.partitions().iterator();
      return true;
    }

    private void answer(ListOffsetsPartition asked) {
      TopicPartition key = new TopicPartition(topic.name(), asked.partitionIndex());
      boolean twice = duplicates.contains(key);
      if (twice && !answered.add(key)) {
        return;
      }
      topic
          .partitions()
          .add(
              inVersion(
                  request.version(),
                  twice
                      ? failed(asked, Errors.INVALID_REQUEST)
                      : lookUp(
                          request.version(),
                          topic.name(),
                          asked,
                          readCommitted,
                          data.replicaId())));
    }
  }

  private static ListOffsetsPartitionResponse inVersion(
      short version, ListOffsetsPartitionResponse answer) {
    return version < FIRST_VERSION_WITH_EPOCH ? answer.setLeaderEpoch(-1) : answer;
  }

  private ListOffsetsPartitionResponse lookUp(
      short version,
      String topic,
      ListOffsetsPartition asked,
      boolean readCommitted,
      int replicaId) {
    if (version < firstVersionOf(asked.timestamp())) {
      return failed(asked, Errors.UNSUPPORTED_VERSION);
    }
    PartitionReplica partition =
        replicaId == ListOffsetsRequest.DEBUGGING_REPLICA_ID
            ? partitions.role(topic, asked.partitionIndex())
            : partitions.serving(topic, asked.partitionIndex());
    if (partition == null) {
      return failed(
          asked, partitions.missing(topic, asked.partitionIndex(), asked.currentLeaderEpoch()));
    }
    Errors refused = partition.checkEpoch(asked.currentLeaderEpoch());
    if (refused != Errors.NONE) {
      return failed(asked, refused);
    }
    try {
      boolean fromClient = replicaId == ListOffsetsRequest.CONSUMER_REPLICA_ID;
      long end = fromClient ? partition.highWatermark() : partition.log().logEndOffset();
      TimestampedOffset found = offset(partition, asked.timestamp(), readCommitted, end);
      Errors notYet = fromClient ? notYet(partition, asked, found) : Errors.NONE;
      if (notYet != Errors.NONE) {
        return failed(asked, version < FIRST_VERSION_WITH_NOT_AVAILABLE ? OLD_NOT_YET : notYet);
      }
      return found(asked, found);
    } catch (UnknownQuestion e) {
      return failed(asked, Errors.UNSUPPORTED_VERSION);
    } catch (IOException e) {
      partition.log().faults().tell("Look-up by time " + asked.timestamp(), e);
      return failed(asked, Errors.KAFKA_STORAGE_ERROR);
    }
  }

  /**
   * A new leader may know of less that is committed than readers were told of before; what it would
   * tell of the end, or not find, may be wrong until it has caught up with that (KIP-207).
   */
  private static Errors notYet(
      PartitionReplica partition, ListOffsetsPartition asked, TimestampedOffset found) {
    boolean atTheEnd =
        asked.timestamp() == ListOffsetsRequest.LATEST_TIMESTAMP || found.offset() == NO_OFFSET;
    return atTheEnd && partition instanceof PartitionLeader leader
        ? leader.checkLatestOffset()
        : Errors.NONE;
  }

  private static int firstVersionOf(long timestamp) {
    if (timestamp == ListOffsetsRequest.MAX_TIMESTAMP) {
      return 7;
    } else if (timestamp == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
      return 8;
    } else if (timestamp == ListOffsetsRequest.LATEST_TIERED_TIMESTAMP) {
      return 9;
    } else if (timestamp == ListOffsetsRequest.EARLIEST_PENDING_UPLOAD_TIMESTAMP) {
      return 11;
    }
    return 0;
  }

  private static TimestampedOffset offset(
      PartitionReplica partition, long timestamp, boolean readCommitted, long end)
      throws IOException, UnknownQuestion {
    PartitionLog log = partition.log();
    long limit = readCommitted ? Math.min(end, partition.lastStableOffset()) : end;
    if (timestamp == ListOffsetsRequest.LATEST_TIMESTAMP) {
      return new TimestampedOffset(NO_TIMESTAMP, limit, partition.leaderEpoch());
    } else if (timestamp == ListOffsetsRequest.EARLIEST_TIMESTAMP
        || timestamp == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
      long start = log.logStartOffset();
      return new TimestampedOffset(NO_TIMESTAMP, start, log.epochForOffset(start));
    } else if (timestamp == ListOffsetsRequest.MAX_TIMESTAMP) {
      return orNone(log.maxTimestamp(limit));
    } else if (timestamp == ListOffsetsRequest.LATEST_TIERED_TIMESTAMP
        || timestamp == ListOffsetsRequest.EARLIEST_PENDING_UPLOAD_TIMESTAMP) {
      return orNone(null);
    } else if (timestamp < 0) {
      throw new UnknownQuestion();
    }
    return orNone(log.offsetForTimestamp(timestamp, limit));
  }

  private static TimestampedOffset orNone(@Nullable TimestampedOffset found) {
    return found == null ? new TimestampedOffset(NO_TIMESTAMP, NO_OFFSET, -1) : found;
  }

  private static ListOffsetsPartitionResponse found(
      ListOffsetsPartition asked, TimestampedOffset found) {
    return new ListOffsetsPartitionResponse()
        .setPartitionIndex(asked.partitionIndex())
        .setTimestamp(found.timestampMs())
        .setOffset(found.offset())
        .setLeaderEpoch(found.leaderEpoch());
  }

  private static ListOffsetsPartitionResponse failed(ListOffsetsPartition asked, Errors error) {
    return new ListOffsetsPartitionResponse()
        .setPartitionIndex(asked.partitionIndex())
        .setErrorCode(error.code())
        .setTimestamp(NO_TIMESTAMP)
        .setOffset(NO_OFFSET);
  }

  /** A special timestamp that has no meaning. */
  private static final class UnknownQuestion extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
