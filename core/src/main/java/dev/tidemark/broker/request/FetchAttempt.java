package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.log.AbortedTxn;
import dev.tidemark.log.LogRead;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.protocol.FileRecords;
import dev.tidemark.protocol.ReceivedRequest;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the partitions of a fetch: what can be answered right now. The first batch is given
 * even if it is larger than the limits, so that a reader always gets on; after it the limits hold.
 */
final class FetchAttempt {
  /** One partition's part of the answer. */
  record Part(FetchedPartition wanted, PartitionData data, @Nullable PartitionReplica partition) {}

  private final Partitions partitions;
  private final FetchReader reader;
  private final ReadReplicas readReplicas;
  private final boolean mayLead;
  private final List<Part> parts = new ArrayList<>();
  private int bytesLeft;
  private int bytes;
  private boolean answerNow;
  private boolean isLeaders;

  FetchAttempt(Partitions partitions, int maxBytes, FetchReader reader, ReadReplicas readReplicas) {
    this.partitions = partitions;
    this.bytesLeft = maxBytes;
    this.reader = reader;
    this.readReplicas = readReplicas;
    this.mayLead = partitions.mayServe();
  }

  List<Part> parts() {
    return parts;
  }

  /** Bytes of records found. */
  int bytes() {
    return bytes;
  }

  /** True if it answers as the leader of a partition. */
  boolean isLeaders() {
    return isLeaders;
  }

  /** True if something (an error, a divergence) must not wait for more data. */
  boolean answerNow() {
    return answerNow;
  }

  void readAll(List<FetchedPartition> wanted) {
    for (FetchedPartition one : wanted) {
      PartitionReplica partition = find(one);
      PartitionData data = readOrRelease(one, partition);
      answerNow |=
          data.errorCode() != Errors.NONE.code()
              || FetchResponse.isDivergingEpoch(data)
              || FetchResponse.isPreferredReplica(data);
      parts.add(new Part(one, data, partition));
    }
  }

  /** Gives back what was found and is not sent. */
  void release() {
    for (Part part : parts) {
      if (part.data().records() instanceof FileRecords records) {
        records.release();
      }
    }
    parts.clear();
  }

  private PartitionData readOrRelease(FetchedPartition one, @Nullable PartitionReplica partition) {
    try {
      return read(one, partition);
    } catch (RuntimeException e) {
      release();
      throw e;
    }
  }

  private @Nullable PartitionReplica find(FetchedPartition wanted) {
    FetchedPartition.Key key = wanted.key();
    String topic = key.topic();
    PartitionReplica role =
        topic == null
            ? partitions.role(key.topicId(), key.partition())
            : partitions.role(topic, key.partition());
    if (role instanceof PartitionLeader) {
      isLeaders |= mayLead;
      return mayLead ? role : null;
    }
    return reader.readsFollowers() ? role : null;
  }

  private Errors missing(FetchedPartition wanted) {
    FetchedPartition.Key key = wanted.key();
    String topic = reader.knowsTopicIds() ? partitions.topicName(key.topicId()) : key.topic();
    return topic == null
        ? Errors.UNKNOWN_TOPIC_ID
        : partitions.missing(topic, key.partition(), wanted.leaderEpoch());
  }

  private PartitionData read(FetchedPartition wanted, @Nullable PartitionReplica partition) {
    int index = wanted.key().partition();
    if (partition == null) {
      return FetchResponse.partitionResponse(index, missing(wanted));
    }
    Errors wrongEpoch = partition.checkEpoch(wanted.leaderEpoch());
    if (wrongEpoch != Errors.NONE) {
      return refused(index, wrongEpoch);
    }
    try {
      return readLog(wanted, partition);
    } catch (OffsetOutOfRange e) {
      return refused(index, Errors.OFFSET_OUT_OF_RANGE);
    } catch (IOException e) {
      partition.log().faults().tell("Read at " + wanted.fetchOffset(), e);
      return refused(index, Errors.KAFKA_STORAGE_ERROR);
    }
  }

  private static PartitionData refused(int index, Errors error) {
    return FetchResponse.partitionResponse(index, error).setAbortedTransactions(null);
  }

  private PartitionData readLog(FetchedPartition wanted, PartitionReplica partition)
      throws OffsetOutOfRange, IOException {
    int elsewhere = betterElsewhere(wanted, partition);
    if (elsewhere != ReadReplicas.HERE) {
      return sentTo(elsewhere, wanted, partition);
    }
    if (partition instanceof PartitionFollower) {
      Errors refused = partition.checkConsumerOffset(wanted.fetchOffset());
      if (refused != Errors.NONE) {
        return refused(wanted.key().partition(), refused);
      }
    }
    long lastStableOffset = partition.lastStableOffset();
    PartitionData data =
        new PartitionData()
            .setPartitionIndex(wanted.key().partition())
            .setHighWatermark(partition.highWatermark())
            .setLastStableOffset(lastStableOffset);
    if (wanted.lastFetchedEpoch() >= 0 && Divergence.fill(wanted, partition.log(), data)) {
      return data.setAbortedTransactions(null);
    }
    long end = reader.readCommitted() ? lastStableOffset : partition.highWatermark();
    int limit = Math.min(wanted.maxBytes(), bytesLeft);
    LogRead read = partition.log().read(wanted.fetchOffset(), limit, bytes == 0, end);
    data.setLogStartOffset(read.logStartOffset())
        .setAbortedTransactions(reader.readCommitted() ? abortedIn(read, partition) : null);
    // Whoever leaves committed records behind for want of room does not wait for more to come.
    answerNow |= read.nextOffset() < end && (read.slice() != null || bytes > 0);
    if (read.slice() == null) {
      data.setRecords(ReceivedRequest.NO_RECORDS);
    } else {
      bytes += read.length();
      bytesLeft = Math.max(0, bytesLeft - read.length());
      data.setRecords(new FileRecords(read.slice()));
    }
    return data;
  }

  private int betterElsewhere(FetchedPartition wanted, PartitionReplica partition) {
    return reader.readsFollowers()
            && !reader.rack().isEmpty()
            && partition instanceof PartitionLeader leader
        ? readReplicas.choose(leader, wanted.fetchOffset(), reader.rack())
        : ReadReplicas.HERE;
  }

  /** It reads on there, so it gets nothing here. */
  private static PartitionData sentTo(
      int broker, FetchedPartition wanted, PartitionReplica partition) {
    return new PartitionData()
        .setPartitionIndex(wanted.key().partition())
        .setPreferredReadReplica(broker)
        .setHighWatermark(partition.highWatermark())
        .setLastStableOffset(partition.lastStableOffset())
        .setLogStartOffset(partition.log().logStartOffset())
        .setAbortedTransactions(null)
        .setRecords(ReceivedRequest.NO_RECORDS);
  }

  /** What was read is given back when they cannot be told, for nothing may be read without them. */
  private static List<AbortedTransaction> abortedIn(LogRead read, PartitionReplica partition)
      throws IOException {
    try {
      return aborted(partition, read.startOffset(), read.nextOffset());
    } catch (IOException | RuntimeException e) {
      if (read.slice() != null) {
        read.slice().release();
      }
      throw e;
    }
  }

  private static List<AbortedTransaction> aborted(
      PartitionReplica partition, long startOffset, long endOffsetExclusive) throws IOException {
    List<AbortedTransaction> aborted = new ArrayList<>(0);
    if (endOffsetExclusive > startOffset) {
      for (AbortedTxn txn : partition.log().abortedTransactions(startOffset, endOffsetExclusive)) {
        aborted.add(
            new AbortedTransaction()
                .setProducerId(txn.producerId())
                .setFirstOffset(txn.firstOffset()));
      }
    }
    return aborted;
  }

  private void count(Part part, int bytes) {
    boolean ok = part.data().errorCode() == Errors.NONE.code();
    if (part.partition() != null) {
      part.partition().fetched(ok, bytes);
    } else {
      partitions.traffic().fetched(ok, bytes);
    }
  }

  /** The answer, which takes over the records found. */
  FetchResponseData toResponse(FetchSession session, boolean incremental) {
    FetchResponseData response = new FetchResponseData().setSessionId(session.id());
    FetchAnswerTopics topics = new FetchAnswerTopics(response);
    for (Part part : parts) {
      boolean news = part.wanted().noteTold(part.data());
      if (!incremental || news) {
        topics.add(part.wanted().key(), part.data());
      }
      int size = FetchResponse.recordsSize(part.data());
      if (size > 0) {
        session.moveToEnd(part.wanted());
      }
      count(part, size);
    }
    return response;
  }
}
