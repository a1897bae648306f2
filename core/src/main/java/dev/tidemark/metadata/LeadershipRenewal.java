package dev.tidemark.metadata;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * A new leader epoch for the broker that leads a partition already, because its log lost, or may
 * have lost, what was not synced: one epoch and offset must not stand for two records
 * (KAFKA-10527).
 */
final class LeadershipRenewal {
  private LeadershipRenewal() {}

  /** The answer is the new leader epoch. */
  static Decision<Integer> decide(MetadataImage image, Uuid topicId, int partition, int brokerId) {
    TopicImage topic = image.topics().getTopic(topicId);
    PartitionRegistration state = topic == null ? null : topic.partitions().get(partition);
    if (state == null || state.leader != brokerId) {
      throw new Refusal(
          Errors.NOT_LEADER_OR_FOLLOWER,
          "Broker %d does not lead partition %d of topic id %s."
              .formatted(brokerId, partition, topicId));
    }
    PartitionChangeRecord record =
        new PartitionChangeRecord()
            .setTopicId(topicId)
            .setPartitionId(partition)
            .setLeader(brokerId);
    short version = image.features().metadataVersionOrThrow().partitionChangeRecordVersion();
    return new Decision<>(
        List.of(new ApiMessageAndVersion(record, version)), state.leaderEpoch + 1);
  }
}
