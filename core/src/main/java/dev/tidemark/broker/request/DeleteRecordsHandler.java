package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Timers;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DeleteRecords: raises the log start offset, at most to the high watermark, and waits for the
 * other replicas to do so as well (KIP-107).
 */
public final class DeleteRecordsHandler implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DeleteRecordsHandler.class);
  private static final long TO_HIGH_WATERMARK = -1;

  private final Partitions partitions;
  private final Timers timers;

  public DeleteRecordsHandler(Partitions partitions, Timers timers) {
    this.partitions = partitions;
    this.timers = timers;
  }

  @Override
  public void handle(Request request) {
    DeleteRecordsRequestData data = request.data(DeleteRecordsRequestData.class);
    DeleteRecordsResponseData response = new DeleteRecordsResponseData();
    WaitingDeletion waiting = new WaitingDeletion(timers, () -> request.answer(response));
    request.whenAbandoned(waiting::cancel);
    for (DeleteRecordsTopic topic : data.topics()) {
      DeleteRecordsTopicResult result = new DeleteRecordsTopicResult().setName(topic.name());
      for (DeleteRecordsPartition asked : topic.partitions()) {
        result.partitions().add(delete(topic.name(), asked, waiting));
      }
      response.topics().add(result);
    }
    waiting.await(data.timeoutMs());
  }

  private DeleteRecordsPartitionResult delete(
      String topic, DeleteRecordsPartition asked, WaitingDeletion waiting) {
    DeleteRecordsPartitionResult result =
        new DeleteRecordsPartitionResult()
            .setPartitionIndex(asked.partitionIndex())
            .setLowWatermark(-1);
    PartitionLeader partition = partitions.serving(topic, asked.partitionIndex());
    if (partition == null || partition.isStopped()) {
      return result.setErrorCode(partitions.missing(topic, asked.partitionIndex()).code());
    }
    if (Topic.isInternal(topic)) {
      return result.setErrorCode(Errors.INVALID_TOPIC_EXCEPTION.code());
    }
    if (!partition.log().settings().delete()) {
      return result.setErrorCode(Errors.POLICY_VIOLATION.code());
    }
    long highWatermark = partition.highWatermark();
    long newStart = asked.offset() == TO_HIGH_WATERMARK ? highWatermark : asked.offset();
    if (newStart < 0) {
      return result.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
    }
    try {
      long before = partition.log().logStartOffset();
      partition.deleteRecordsBelow(newStart);
      if (partition.log().logStartOffset() > before) {
        LOG.info(
            "[Log partition={}, dir={}] Incremented log start offset to {} due to client delete"
                + " records request",
            partition.log().id(),
            partition.log().folder().path(),
            partition.log().logStartOffset());
      }
      waiting.add(partition, newStart, result);
      return result;
    } catch (OffsetOutOfRange e) {
      return result.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
    } catch (IOException e) {
      partition.log().faults().tell("DeleteRecords", e);
      return result.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code());
    }
  }
}
