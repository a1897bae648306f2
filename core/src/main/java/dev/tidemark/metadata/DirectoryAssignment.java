package dev.tidemark.metadata;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * Notes in which data folder a broker's replica lies (KIP-858). A replica in a folder that is not
 * online is in sync no more.
 */
final class DirectoryAssignment {
  private DirectoryAssignment() {}

  /** One replica of the broker in this process. */
  static Decision<Uuid> decide(
      MetadataImage image,
      ElectionContext context,
      Uuid topicId,
      int partition,
      int brokerId,
      Uuid directoryId) {
    MetadataDraft draft = context.draft(image);
    PartitionKey key = new PartitionKey(topicId, partition);
    PartitionRegistration state = draft.committed(key);
    if (state == null || !Replicas.contains(state.replicas, brokerId)) {
      throw new Refusal(
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          "Broker %d has no replica of partition %d of topic id %s."
              .formatted(brokerId, partition, topicId));
    }
    draft.change(key).setDirectory(brokerId, directoryId);
    return draft.decision(directoryId);
  }

  static Decision<AssignReplicasToDirsResponseData> decide(
      MetadataImage image, ElectionContext context, AssignReplicasToDirsRequestData request) {
    BrokerRegistration broker =
        HeartbeatDecision.currentRun(image, request.brokerId(), request.brokerEpoch());
    MetadataDraft draft = context.draft(image);
    AssignReplicasToDirsResponseData response = new AssignReplicasToDirsResponseData();
    for (AssignReplicasToDirsRequestData.DirectoryData directory : request.directories()) {
      AssignReplicasToDirsResponseData.DirectoryData result =
          new AssignReplicasToDirsResponseData.DirectoryData().setId(directory.id());
      for (AssignReplicasToDirsRequestData.TopicData topic : directory.topics()) {
        AssignReplicasToDirsResponseData.TopicData topicResult =
            new AssignReplicasToDirsResponseData.TopicData().setTopicId(topic.topicId());
        for (AssignReplicasToDirsRequestData.PartitionData partition : topic.partitions()) {
          PartitionKey key = new PartitionKey(topic.topicId(), partition.partitionIndex());
          topicResult
              .partitions()
              .add(
                  new AssignReplicasToDirsResponseData.PartitionData()
                      .setPartitionIndex(key.partition())
                      .setErrorCode(assign(draft, broker, key, directory.id()).code()));
        }
        result.topics().add(topicResult);
      }
      response.directories().add(result);
    }
    return draft.decision(response);
  }

  private static Errors assign(
      MetadataDraft draft, BrokerRegistration broker, PartitionKey key, Uuid directory) {
    TopicImage topic = draft.image().topics().getTopic(key.topicId());
    if (topic == null) {
      return Errors.UNKNOWN_TOPIC_ID;
    }
    PartitionRegistration state = topic.partitions().get(key.partition());
    if (state == null) {
      return Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (!Replicas.contains(state.replicas, broker.id())) {
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    if (draft.isFull()) {
      return Errors.THROTTLING_QUOTA_EXCEEDED;
    }
    PartitionChange change = draft.change(key);
    change.setDirectory(broker.id(), directory);
    if (broker.hasOnlineDir(directory)) {
      change.electIfNeeded();
    } else {
      change.leaveIsr(broker.id());
    }
    return Errors.NONE;
  }
}
