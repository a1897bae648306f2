package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.jspecify.annotations.Nullable;

/**
 * Decides ElectLeaders (KIP-460): gives partitions back to their preferred replica, or, where none
 * of the in-sync replicas lives, to one that may lack records.
 */
final class LeaderElection {
  private LeaderElection() {}

  static Decision<ElectLeadersResponseData> decide(
      MetadataImage image, ElectLeadersRequestData request) {
    ElectionType type = type(request.electionType());
    List<ApiMessageAndVersion> records = new ArrayList<>();
    ElectLeadersResponseData response = new ElectLeadersResponseData();
    if (request.topicPartitions() == null) {
      electWhereNeeded(image, type, records, response);
    } else {
      for (TopicPartitions asked : request.topicPartitions()) {
        ReplicaElectionResult result = new ReplicaElectionResult().setTopic(asked.topic());
        for (int partition : asked.partitions()) {
          result.partitionResult().add(elect(image, type, asked.topic(), partition, records));
        }
        response.replicaElectionResults().add(result);
      }
    }
    return new Decision<>(records, response);
  }

  private static ElectionType type(byte code) {
    try {
      return ElectionType.valueOf(code);
    } catch (IllegalArgumentException e) {
      throw new org.apache.kafka.common.errors.InvalidRequestException(
          "There is no election type " + code + "; 0 is preferred, 1 is unclean");
    }
  }

  /** Partitions that need no election are left out, as in Kafka; their topics are not. */
  private static void electWhereNeeded(
      MetadataImage image,
      ElectionType type,
      List<ApiMessageAndVersion> records,
      ElectLeadersResponseData response) {
    for (TopicImage topic : new TreeMap<>(image.topics().topicsByName()).values()) {
      ReplicaElectionResult result = new ReplicaElectionResult().setTopic(topic.name());
      for (int partition : new TreeSet<>(topic.partitions().keySet())) {
        PartitionResult one = elect(image, type, topic.name(), partition, records);
        if (one.errorCode() != Errors.ELECTION_NOT_NEEDED.code()) {
          result.partitionResult().add(one);
        }
      }
      response.replicaElectionResults().add(result);
    }
  }

  private static PartitionResult elect(
      MetadataImage image,
      ElectionType type,
      String topicName,
      int partition,
      List<ApiMessageAndVersion> records) {
    PartitionResult result = new PartitionResult().setPartitionId(partition).setErrorMessage(null);
    TopicImage topic = image.topics().getTopic(topicName);
    PartitionRegistration found = topic == null ? null : topic.partitions().get(partition);
    if (topic == null || found == null) {
      return refused(
          result,
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          "There is no partition %s-%d.".formatted(topicName, partition));
    }
    PartitionChangeRecord change =
        new PartitionChangeRecord().setTopicId(topic.id()).setPartitionId(partition);
    boolean preferred = type == ElectionType.PREFERRED;
    if (preferred ? found.hasPreferredLeader() : found.hasLeader()) {
      return refused(
          result,
          Errors.ELECTION_NOT_NEEDED,
          "Broker %d leads %s-%d already.".formatted(found.leader, topicName, partition));
    }
    if (!(preferred ? toPreferred(image, found, change) : toAnyAlive(image, found, change))) {
      return refused(
          result,
          preferred ? Errors.PREFERRED_LEADER_NOT_AVAILABLE : Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE,
          "None of the replicas of %s-%d that may lead is there.".formatted(topicName, partition));
    }
    records.add(new ApiMessageAndVersion(change, (short) 0));
    return result;
  }

  private static PartitionResult refused(PartitionResult result, Errors error, String message) {
    return result.setErrorCode(error.code()).setErrorMessage(message);
  }

  private static boolean toPreferred(
      MetadataImage image, PartitionRegistration partition, PartitionChangeRecord change) {
    int preferred = partition.preferredReplica();
    if (!isAlive(image, preferred) || !Replicas.contains(partition.isr, preferred)) {
      return false;
    }
    change.setLeader(preferred);
    return true;
  }

  private static boolean toAnyAlive(
      MetadataImage image, PartitionRegistration partition, PartitionChangeRecord change) {
    for (int replica : partition.replicas) {
      if (isAlive(image, replica)) {
        change.setLeader(replica);
        if (!Replicas.contains(partition.isr, replica)) {
          change.setIsr(List.of(replica));
          change.setLeaderRecoveryState(LeaderRecoveryState.RECOVERING.value());
        }
        return true;
      }
    }
    return false;
  }

  private static boolean isAlive(MetadataImage image, int replica) {
    @Nullable BrokerRegistration broker = image.cluster().broker(replica);
    return broker != null && !broker.fenced() && !broker.inControlledShutdown();
  }
}
