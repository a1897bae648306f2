package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Timers;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.AppendResult;
import dev.tidemark.log.RefusedAppend;
import dev.tidemark.protocol.ReceivedRequest;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequiredAcksException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Produce: appends each partition's batch and acknowledges as the client asked. */
public final class ProduceHandler implements RequestHandler {
  private static final short FIRST_VERSION_WITH_ZSTD = 7;
  private static final short FIRST_VERSION_WITH_TOPIC_ID = 13;
  private static final String ADMIN_CLIENT_ID = "__admin_client";

  private final Partitions partitions;
  private final Timers timers;

  public ProduceHandler(Partitions partitions, Timers timers) {
    this.partitions = partitions;
    this.timers = timers;
  }

  @Override
  public void handle(Request request) {
    ProduceRequestData data = request.data(ProduceRequestData.class);
    short acks = data.acks();
    if (acks < -1 || acks > 1) {
      request.fail(new InvalidRequiredAcksException("acks is " + acks + "; valid are -1, 0 and 1"));
      return;
    }
    ProduceAnswer answer = new ProduceAnswer(request, acks, data.timeoutMs(), timers);
    for (TopicProduceData topic : data.topicData()) {
      String name = nameOf(request, topic);
      answer.nextTopic(topic.name(), topic.topicId());
      for (PartitionProduceData partition : topic.partitionData()) {
        appendTo(request, answer, topic, name, partition);
      }
    }
    answer.allAppended();
  }

  /** The topic's name, or null if the request names a topic id that is not hosted here. */
  private @Nullable String nameOf(Request request, TopicProduceData topic) {
    return request.version() >= FIRST_VERSION_WITH_TOPIC_ID
        ? partitions.topicName(topic.topicId())
        : topic.name();
  }

  private void appendTo(
      Request request,
      ProduceAnswer answer,
      TopicProduceData topic,
      @Nullable String name,
      PartitionProduceData produced) {
    PartitionProduceResponse response = answer.nextPartition(produced.index());
    if (name == null) {
      partitions.traffic().produced(false);
      fail(response, Errors.UNKNOWN_TOPIC_ID, "no topic has the id " + topic.topicId());
      return;
    }
    if (Topic.isInternal(name) && !ADMIN_CLIENT_ID.equals(request.header().clientId())) {
      partitions.traffic().produced(false);
      fail(response, Errors.INVALID_TOPIC_EXCEPTION, "clients may not write to " + name);
      return;
    }
    PartitionLeader partition =
        Uuid.ZERO_UUID.equals(topic.topicId())
            ? partitions.find(name, produced.index())
            : partitions.find(topic.topicId(), produced.index());
    ByteBuffer records = ReceivedRequest.recordsOf(produced);
    if (partition == null || partition.isStopped()) {
      partitions.traffic().produced(false);
      fail(
          response,
          partitions.missing(name, produced.index()),
          partitions.whyMissing(name, produced.index()));
    } else if (records == null) {
      partition.produced(false);
      fail(response, Errors.INVALID_RECORD, "the request holds no records for this partition");
    } else if (request.version() < FIRST_VERSION_WITH_ZSTD && ReceivedRequest.isZstd(records)) {
      partition.produced(false);
      fail(
          response,
          Errors.UNSUPPORTED_COMPRESSION_TYPE,
          "zstd needs version 7 of Produce: readers as old as this client could not read it");
    } else {
      append(answer, partition, records, response);
    }
  }

  private static void append(
      ProduceAnswer answer,
      PartitionLeader partition,
      ByteBuffer records,
      PartitionProduceResponse response) {
    try {
      AppendResult result = partition.append(records, AppendOrigin.CLIENT);
      response
          .setBaseOffset(result.baseOffset())
          .setLogAppendTimeMs(result.logAppendTimeMs())
          .setLogStartOffset(result.logStartOffset());
      partition.produced(true);
      answer.appended(partition, result.lastOffset() + 1, response);
    } catch (RefusedAppend refused) {
      partition.produced(false);
      fail(response, refused.error(), refused.getMessage());
      for (RefusedAppend.RecordError error : refused.recordErrors()) {
        response
            .recordErrors()
            .add(
                new BatchIndexAndErrorMessage()
                    .setBatchIndex(error.batchIndex())
                    .setBatchIndexErrorMessage(error.message()));
      }
    } catch (IOException e) {
      partition.produced(false);
      fail(response, Errors.KAFKA_STORAGE_ERROR, "the write failed: " + e.getMessage());
    }
  }

  private static void fail(
      PartitionProduceResponse response, Errors error, @Nullable String message) {
    response
        .setErrorCode(error.code())
        .setErrorMessage(message)
        .setBaseOffset(-1)
        .setLogAppendTimeMs(-1)
        .setLogStartOffset(-1);
  }
}
