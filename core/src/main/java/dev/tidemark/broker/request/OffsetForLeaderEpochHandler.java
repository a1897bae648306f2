package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.log.EpochEnd;
import dev.tidemark.replica.PartitionLeader;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** OffsetForLeaderEpoch: where a leader epoch ends in the leader's log (KIP-101, KIP-320). */
public final class OffsetForLeaderEpochHandler implements RequestHandler {
  private final Partitions partitions;

  public OffsetForLeaderEpochHandler(Partitions partitions) {
    this.partitions = partitions;
  }

  @Override
  public void handle(Request request) {
    OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
    for (OffsetForLeaderTopic topic :
        request.data(OffsetForLeaderEpochRequestData.class).topics()) {
      OffsetForLeaderTopicResult result = new OffsetForLeaderTopicResult().setTopic(topic.topic());
      for (OffsetForLeaderPartition asked : topic.partitions()) {
        result.partitions().add(lookUp(topic.topic(), asked));
      }
      response.topics().add(result);
    }
    request.answer(response);
  }

  private EpochEndOffset lookUp(String topic, OffsetForLeaderPartition asked) {
    EpochEndOffset answer = new EpochEndOffset().setPartition(asked.partition());
    PartitionLeader partition = partitions.serving(topic, asked.partition());
    if (partition == null) {
      return answer.setErrorCode(
          partitions.missing(topic, asked.partition(), asked.currentLeaderEpoch()).code());
    }
    Errors refused = partition.checkEpoch(asked.currentLeaderEpoch());
    if (refused != Errors.NONE) {
      return answer.setErrorCode(refused.code());
    }
    EpochEnd end = partition.log().endOffsetForEpoch(asked.leaderEpoch());
    return answer.setLeaderEpoch(end.epoch()).setEndOffset(end.endOffsetExclusive());
  }
}
