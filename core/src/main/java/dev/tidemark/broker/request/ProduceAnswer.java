package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.env.Timers;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.WaitingAcknowledgement;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The answer to one Produce request while it is put together and waits for acknowledgement. */
final class ProduceAnswer {
  private static final short ACKS_NONE = 0;
  private static final short ACKS_ALL = -1;

  private final Request request;
  private final short acks;
  private final ProduceResponseData response = new ProduceResponseData();
  private @Nullable TopicProduceResponse topic;
  private final Timers timers;
  private final CurrentLeaders leaders;
  private final int timeoutMs;
  private Timers.@Nullable Timer timeout;
  private int waitingPartitions;
  private boolean allAppended;
  private boolean answered;

  ProduceAnswer(Request request, short acks, int timeoutMs, Timers timers, CurrentLeaders leaders) {
    this.request = request;
    this.acks = acks;
    this.timeoutMs = timeoutMs;
    this.timers = timers;
    this.leaders = leaders;
  }

  /** True when the client wants all in-sync replicas to have what it sends. */
  boolean isForAll() {
    return acks == ACKS_ALL;
  }

  void nextTopic(String name, Uuid id) {
    topic = new TopicProduceResponse().setName(name).setTopicId(id);
    response.responses().add(topic);
  }

  PartitionProduceResponse nextPartition(int index) {
    PartitionProduceResponse partition = new PartitionProduceResponse().setIndex(index);
    if (topic == null) {
      throw new IllegalStateException("a partition without its topic");
    }
    topic.partitionResponses().add(partition);
    return partition;
  }

  /**
   * A batch is in the leader's log. acks=all waits for the high watermark; acks=1 only for the sync
   * of a topic that syncs before it acknowledges.
   */
  void appended(
      PartitionLeader partition, long endOffsetExclusive, PartitionProduceResponse answer) {
    long reached = acks == ACKS_ALL ? partition.committedEndOffset() : partition.heldEndOffset();
    if (acks == ACKS_NONE || reached >= endOffsetExclusive) {
      return;
    }
    waitingPartitions++;
    answer.setErrorCode(Errors.REQUEST_TIMED_OUT.code()); // unless acknowledged before
    WaitingAcknowledgement waiting = error -> acknowledged(answer, error);
    if (acks == ACKS_ALL) {
      partition.whenCommitted(endOffsetExclusive, waiting);
    } else {
      partition.whenHeld(endOffsetExclusive, waiting);
    }
  }

  private void acknowledged(PartitionProduceResponse answer, Errors error) {
    answer.setErrorCode(error.code());
    if (error != Errors.NONE) {
      answer.setBaseOffset(-1);
    }
    waitingPartitions--;
    if (allAppended && waitingPartitions == 0) {
      if (timeout != null) {
        timeout.cancel();
      }
      answerOnce();
    }
  }

  /** All partitions are dealt with: answers now, or when the last one is acknowledged. */
  void allAppended() {
    allAppended = true;
    if (acks == ACKS_NONE) {
      answerNothing();
    } else if (waitingPartitions == 0) {
      answerOnce();
    } else {
      timeout = timers.schedule(Math.max(0, timeoutMs), this::answerOnce);
    }
  }

  /** The last acknowledgement and the time-out may both come: the first one answers. */
  private void answerOnce() {
    if (!answered) {
      answered = true;
      leaders.tell(request, response);
      request.answer(response);
    }
  }

  /** A client that asked for no answer learns of an error by losing its connection, as in Kafka. */
  private void answerNothing() {
    for (TopicProduceResponse failed : response.responses()) {
      for (PartitionProduceResponse partition : failed.partitionResponses()) {
        if (partition.errorCode() != Errors.NONE.code()) {
          request.closeConnection(
              "Produce with acks=0 failed with %s: %s"
                  .formatted(Errors.forCode(partition.errorCode()), partition.errorMessage()));
          return;
        }
      }
    }
    request.answerNothing();
  }
}
