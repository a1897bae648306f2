package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.TimestampedOffset;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.util.HashSet;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ListOffsets: the first, the last, or the first offset from a point in time on (KIP-79, KIP-207,
 * KIP-734). Nothing is kept in remote storage, so the local log start is the log start and the
 * questions for remote offsets have the answer "none".
 */
public final class ListOffsetsHandler implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ListOffsetsHandler.class);
  private static final short FIRST_VERSION_WITH_EPOCH = 4;
  private static final long NO_OFFSET = -1;
  private static final long NO_TIMESTAMP = -1;

  private final Partitions partitions;

  public ListOffsetsHandler(Partitions partitions) {
    this.partitions = partitions;
  }

  @Override
  public void handle(Request request) {
    ListOffsetsRequestData data = request.data(ListOffsetsRequestData.class);
    Set<TopicPartition> duplicates = ((ListOffsetsRequest) request.body()).duplicatePartitions();
    boolean readCommitted = data.isolationLevel() == IsolationLevel.READ_COMMITTED.id();
    boolean fromClient = data.replicaId() == ListOffsetsRequest.CONSUMER_REPLICA_ID;
    Set<TopicPartition> answered = new HashSet<>();
    ListOffsetsResponseData response = new ListOffsetsResponseData();
    for (ListOffsetsTopic topic : data.topics()) {
      ListOffsetsTopicResponse answer = new ListOffsetsTopicResponse().setName(topic.name());
      for (ListOffsetsPartition asked : topic.partitions()) {
        TopicPartition key = new TopicPartition(topic.name(), asked.partitionIndex());
        boolean twice = duplicates.contains(key);
        if (twice && !answered.add(key)) {
          continue;
        }
        answer
            .partitions()
            .add(
                inVersion(
                    request.version(),
                    twice
                        ? failed(asked, Errors.INVALID_REQUEST)
                        : lookUp(
                            request.version(), topic.name(), asked, readCommitted, fromClient)));
      }
      response.topics().add(answer);
    }
    request.answer(response);
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
      boolean fromClient) {
    if (version < firstVersionOf(asked.timestamp())) {
      return failed(asked, Errors.UNSUPPORTED_VERSION);
    }
    PartitionLeader partition = partitions.find(topic, asked.partitionIndex());
    if (partition == null) {
      return failed(asked, partitions.missing(topic, asked.partitionIndex()));
    }
    Errors refused = LeaderEpochs.check(partition, asked.currentLeaderEpoch());
    if (refused != Errors.NONE) {
      return failed(asked, refused);
    }
    try {
      long end = fromClient ? partition.highWatermark() : partition.log().logEndOffset();
      return found(asked, offset(partition, asked.timestamp(), readCommitted, end));
    } catch (UnknownQuestion e) {
      return failed(asked, Errors.UNSUPPORTED_VERSION);
    } catch (IOException e) {
      LOG.error("Look-up of {} in {} failed", asked.timestamp(), partition.log().id(), e);
      return failed(asked, Errors.KAFKA_STORAGE_ERROR);
    }
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
      PartitionLeader partition, long timestamp, boolean readCommitted, long end)
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
