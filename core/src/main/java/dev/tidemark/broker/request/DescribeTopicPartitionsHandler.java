package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import java.util.TreeSet;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/** DescribeTopicPartitions: metadata in pages, in the order of names and partitions (KIP-966). */
public final class DescribeTopicPartitionsHandler implements RequestHandler {
  private final ClusterNodes nodes;
  private final int maxPartitions;

  /**
   * @param maxPartitions of one answer: max.request.partition.size.limit
   */
  public DescribeTopicPartitionsHandler(ClusterNodes nodes, int maxPartitions) {
    this.nodes = nodes;
    this.maxPartitions = maxPartitions;
  }

  @Override
  public void handle(Request request) {
    DescribeTopicPartitionsRequestData data =
        request.data(DescribeTopicPartitionsRequestData.class);
    request.answer(describe(data, request.client().listenerName()));
  }

  DescribeTopicPartitionsResponseData describe(
      DescribeTopicPartitionsRequestData data, ListenerName listener) {
    DescribeTopicPartitionsRequestData.Cursor cursor = data.cursor();
    if (cursor != null && cursor.partitionIndex() < 0) {
      throw new InvalidRequestException(
          "DescribeTopicPartitionsRequest cursor partition must be valid: " + cursor);
    }
    boolean all = data.topics().isEmpty();
    TreeSet<String> names = new TreeSet<>();
    if (all) {
      names.addAll(nodes.image().topics().topicsByName().keySet());
    } else {
      data.topics().forEach(topic -> names.add(topic.name()));
    }
    String first = cursor == null ? "" : cursor.topicName();
    int left = Math.max(1, Math.min(data.responsePartitionLimit(), maxPartitions));
    DescribeTopicPartitionsResponseData response = new DescribeTopicPartitionsResponseData();
    for (String name : names.tailSet(first)) {
      int firstPartition = cursor != null && name.equals(first) ? cursor.partitionIndex() : 0;
      if (left <= 0) {
        return response.setNextCursor(
            new Cursor().setTopicName(name).setPartitionIndex(firstPartition));
      }
      TopicImage topic = nodes.image().topics().getTopic(name);
      if (topic == null) {
        response.topics().add(unknown(name));
        continue;
      }
      int end = topic.partitions().size();
      int endOfPage = Math.min(end, firstPartition + left);
      response.topics().add(page(topic, firstPartition, endOfPage, listener));
      left -= endOfPage - firstPartition;
      if (endOfPage < end) {
        return response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(endOfPage));
      }
    }
    return response;
  }

  private static DescribeTopicPartitionsResponseTopic unknown(String name) {
    Errors error =
        Topic.isValid(name) ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION;
    return new DescribeTopicPartitionsResponseTopic()
        .setName(name)
        .setTopicAuthorizedOperations(AuthorizedOperations.topic(true))
        .setErrorCode(error.code())
        .setIsInternal(Topic.isInternal(name));
  }

  private DescribeTopicPartitionsResponseTopic page(
      TopicImage topic, int first, int endExclusive, ListenerName listener) {
    DescribeTopicPartitionsResponseTopic answer =
        new DescribeTopicPartitionsResponseTopic()
            .setName(topic.name())
            .setTopicId(topic.id())
            .setIsInternal(Topic.isInternal(topic.name()))
            .setTopicAuthorizedOperations(AuthorizedOperations.topic(true));
    for (int id = first; id < endExclusive; id++) {
      PartitionRegistration partition = topic.partitions().get(id);
      if (partition != null) {
        answer.partitions().add(partition(topic.name(), id, partition, listener));
      }
    }
    return answer;
  }

  private DescribeTopicPartitionsResponsePartition partition(
      String topic, int id, PartitionRegistration partition, ListenerName listener) {
    boolean alive = nodes.isServed(topic, id, partition, listener);
    return new DescribeTopicPartitionsResponsePartition()
        .setErrorCode(alive ? Errors.NONE.code() : Errors.LEADER_NOT_AVAILABLE.code())
        .setPartitionIndex(id)
        .setLeaderId(alive ? partition.leader : -1)
        .setLeaderEpoch(partition.leaderEpoch)
        .setReplicaNodes(Replicas.toList(partition.replicas))
        .setIsrNodes(Replicas.toList(partition.isr))
        .setEligibleLeaderReplicas(Replicas.toList(partition.elr))
        .setLastKnownElr(Replicas.toList(partition.lastKnownElr))
        .setOfflineReplicas(nodes.offlineReplicas(topic, id, partition, listener));
  }
}
