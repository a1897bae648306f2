package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.log.ProducerEntry;
import dev.tidemark.replica.PartitionLeader;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeProducersResponseData.TopicResponse;
import org.apache.kafka.common.protocol.Errors;

/** DescribeProducers: the idempotent producers that partitions know (KIP-664). */
public final class DescribeProducersHandler implements RequestHandler {
  private final Partitions partitions;

  public DescribeProducersHandler(Partitions partitions) {
    this.partitions = partitions;
  }

  @Override
  public void handle(Request request) {
    DescribeProducersResponseData response = new DescribeProducersResponseData();
    Set<String> seen = new HashSet<>();
    for (TopicRequest topic : request.data(DescribeProducersRequestData.class).topics()) {
      if (!seen.add(topic.name())) {
        continue; // told once, like each partition: else few bytes asked for a huge answer
      }
      TopicResponse result = new TopicResponse().setName(topic.name());
      for (int partition : new LinkedHashSet<>(topic.partitionIndexes())) {
        result.partitions().add(describe(topic.name(), partition));
      }
      response.topics().add(result);
    }
    request.answer(response);
  }

  private PartitionResponse describe(String topic, int index) {
    PartitionResponse answer = new PartitionResponse().setPartitionIndex(index);
    if (!Topic.isValid(topic)) {
      return answer
          .setErrorCode(Errors.INVALID_TOPIC_EXCEPTION.code())
          .setErrorMessage("'" + topic + "' is not a topic name.");
    }
    PartitionLeader partition = partitions.find(topic, index);
    if (partition == null) {
      return answer.setErrorCode(partitions.missing(topic, index).code());
    }
    for (ProducerEntry producer : partition.log().producers().entries()) {
      answer.activeProducers().add(describe(producer));
    }
    return answer;
  }

  private static ProducerState describe(ProducerEntry producer) {
    return new ProducerState()
        .setProducerId(producer.producerId())
        .setProducerEpoch(producer.epoch())
        .setLastSequence(producer.lastSequence())
        .setLastTimestamp(producer.lastTimestampMs())
        .setCoordinatorEpoch(producer.coordinatorEpoch())
        .setCurrentTxnStartOffset(producer.currentTxnFirstOffset());
  }
}
