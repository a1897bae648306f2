package dev.tidemark.metadata;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/**
 * Decides AlterPartitionReassignments (KIP-455) for a cluster of one node: a partition can only be
 * assigned to where it is, and there is never a reassignment to cancel.
 */
final class PartitionReassignment {
  private PartitionReassignment() {}

  static Decision<AlterPartitionReassignmentsResponseData> decide(
      MetadataImage image, AlterPartitionReassignmentsRequestData request) {
    AlterPartitionReassignmentsResponseData response =
        new AlterPartitionReassignmentsResponseData()
            .setAllowReplicationFactorChange(request.allowReplicationFactorChange())
            .setErrorMessage(null);
    for (ReassignableTopic topic : request.topics()) {
      ReassignableTopicResponse result = new ReassignableTopicResponse().setName(topic.name());
      for (ReassignablePartition partition : topic.partitions()) {
        ReassignablePartitionResponse one =
            new ReassignablePartitionResponse()
                .setPartitionIndex(partition.partitionIndex())
                .setErrorMessage(null);
        try {
          check(image, topic.name(), partition, request.allowReplicationFactorChange());
        } catch (Refusal e) {
          one.setErrorCode(e.error().code()).setErrorMessage(e.message());
        }
        result.partitions().add(one);
      }
      response.responses().add(result);
    }
    return Decision.of(response);
  }

  private static void check(
      MetadataImage image, String topicName, ReassignablePartition asked, boolean mayResize) {
    TopicImage topic = image.topics().getTopic(topicName);
    PartitionRegistration partition =
        topic == null ? null : topic.partitions().get(asked.partitionIndex());
    String name = topicName + "-" + asked.partitionIndex();
    if (partition == null) {
      throw new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "There is no partition " + name + ".");
    }
    List<Integer> target = asked.replicas();
    if (target == null) {
      throw new Refusal(Errors.NO_REASSIGNMENT_IN_PROGRESS, name + " is not being reassigned.");
    }
    checkReplicas(image, name, target);
    if (!mayResize && target.size() != partition.replicas.length) {
      throw new Refusal(
          Errors.INVALID_REPLICATION_FACTOR,
          "%s has %d replicas; the request gives it %d and does not allow that to change."
              .formatted(name, partition.replicas.length, target.size()));
    }
    if (!target.equals(Replicas.toList(partition.replicas))) {
      throw new Refusal(
          Errors.INVALID_REPLICA_ASSIGNMENT,
          "%s cannot move from brokers %s to %s: moving partitions is not supported yet."
              .formatted(name, Replicas.toList(partition.replicas), target));
    }
  }

  private static void checkReplicas(MetadataImage image, String name, List<Integer> target) {
    if (target.isEmpty()) {
      throw new Refusal(
          Errors.INVALID_REPLICA_ASSIGNMENT, name + " cannot be left without replicas.");
    }
    Set<Integer> seen = new HashSet<>();
    for (int broker : target) {
      if (!seen.add(broker)) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "Broker %d stands twice in the assignment of %s.".formatted(broker, name));
      }
      if (image.cluster().broker(broker) == null) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "There is no broker %d, so %s cannot go there.".formatted(broker, name));
      }
    }
  }
}
