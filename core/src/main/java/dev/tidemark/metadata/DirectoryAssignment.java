package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** Notes in which data folder a broker's replica lies (KIP-858). */
final class DirectoryAssignment {
  private DirectoryAssignment() {}

  static Decision<Uuid> decide(
      MetadataImage image, Uuid topicId, int partition, int brokerId, Uuid directoryId) {
    TopicImage topic = image.topics().getTopic(topicId);
    PartitionRegistration state = topic == null ? null : topic.partitions().get(partition);
    List<Uuid> directories = new ArrayList<>();
    boolean found = false;
    for (int i = 0; state != null && i < state.replicas.length; i++) {
      boolean own = state.replicas[i] == brokerId;
      found |= own;
      directories.add(own ? directoryId : state.directories[i]);
    }
    if (!found) {
      throw new Refusal(
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          "Broker %d has no replica of partition %d of topic id %s."
              .formatted(brokerId, partition, topicId));
    }
    PartitionChangeRecord record =
        new PartitionChangeRecord()
            .setTopicId(topicId)
            .setPartitionId(partition)
            .setDirectories(directories);
    short version = image.features().metadataVersionOrThrow().partitionChangeRecordVersion();
    return new Decision<>(List.of(new ApiMessageAndVersion(record, version)), directoryId);
  }
}
