package dev.tidemark.metadata;

import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData.OngoingPartitionReassignment;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData.OngoingTopicReassignment;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.jspecify.annotations.Nullable;

/** Tells the partitions that move to other brokers (KIP-455). */
public final class OngoingReassignments {
  private OngoingReassignments() {}

  /** Those of the asked partitions, or all; what does not move or does not exist is left out. */
  public static ListPartitionReassignmentsResponseData list(
      MetadataImage image, ListPartitionReassignmentsRequestData request) {
    ListPartitionReassignmentsResponseData response =
        new ListPartitionReassignmentsResponseData().setErrorMessage(null);
    if (request.topics() == null) {
      for (TopicImage topic : new TreeMap<>(image.topics().topicsByName()).values()) {
        addTopic(response, topic, List.copyOf(new TreeSet<>(topic.partitions().keySet())));
      }
    } else {
      for (ListPartitionReassignmentsTopics asked : request.topics()) {
        addTopic(response, image.topics().getTopic(asked.name()), asked.partitionIndexes());
      }
    }
    return response;
  }

  private static void addTopic(
      ListPartitionReassignmentsResponseData response,
      @Nullable TopicImage topic,
      List<Integer> partitions) {
    if (topic == null) {
      return;
    }
    OngoingTopicReassignment result = new OngoingTopicReassignment().setName(topic.name());
    for (int partition : partitions) {
      PartitionRegistration state = topic.partitions().get(partition);
      if (state != null && PartitionReassignment.isReassigning(state)) {
        result
            .partitions()
            .add(
                new OngoingPartitionReassignment()
                    .setPartitionIndex(partition)
                    .setReplicas(Replicas.toList(state.replicas))
                    .setAddingReplicas(Replicas.toList(state.addingReplicas))
                    .setRemovingReplicas(Replicas.toList(state.removingReplicas)));
      }
    }
    if (!result.partitions().isEmpty()) {
      response.topics().add(result);
    }
  }
}
