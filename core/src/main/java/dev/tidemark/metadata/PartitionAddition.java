package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** Decides CreatePartitions: topics grow, they never shrink. */
final class PartitionAddition {
  private final TopicPlacement placement;

  PartitionAddition(TopicPlacement placement) {
    this.placement = placement;
  }

  Decision<CreatePartitionsResponseData> decide(
      MetadataImage image, CreatePartitionsRequestData request) {
    placement.startDecision();
    List<ApiMessageAndVersion> records = new ArrayList<>();
    CreatePartitionsResponseData response = new CreatePartitionsResponseData();
    Set<String> seen = new HashSet<>();
    Set<String> twice = new HashSet<>();
    request.topics().forEach(topic -> noteTwice(topic.name(), seen, twice));
    boolean tooMany = additional(image, request) > TopicCreation.MAX_PARTITIONS_PER_REQUEST;
    Set<String> answered = new HashSet<>();
    for (CreatePartitionsTopic topic : request.topics()) {
      if (!answered.add(topic.name())) {
        continue;
      }
      CreatePartitionsTopicResult result = new CreatePartitionsTopicResult().setName(topic.name());
      try {
        if (twice.contains(topic.name())) {
          throw new Refusal(Errors.INVALID_REQUEST, "Duplicate topic name.");
        }
        if (tooMany) {
          throw new Refusal(
              Errors.POLICY_VIOLATION,
              "A request may add up to %d partitions; send several requests."
                  .formatted(TopicCreation.MAX_PARTITIONS_PER_REQUEST));
        }
        records.addAll(add(image, topic));
      } catch (Refusal e) {
        result.setErrorCode(e.error().code()).setErrorMessage(e.message());
      }
      response.results().add(result);
    }
    return request.validateOnly() ? Decision.of(response) : new Decision<>(records, response);
  }

  /** The partitions that the whole request would add. */
  private static long additional(MetadataImage image, CreatePartitionsRequestData request) {
    long sum = 0;
    for (CreatePartitionsTopic asked : request.topics()) {
      TopicImage topic = image.topics().getTopic(asked.name());
      if (topic != null) {
        sum += Math.max(0, asked.count() - topic.partitions().size());
      }
    }
    return sum;
  }

  private static void noteTwice(String name, Set<String> seen, Set<String> twice) {
    if (!seen.add(name)) {
      twice.add(name);
    }
  }

  private List<ApiMessageAndVersion> add(MetadataImage image, CreatePartitionsTopic asked) {
    TopicImage topic = image.topics().getTopic(asked.name());
    if (topic == null) {
      throw new Refusal(
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          "There is no topic with the name '" + asked.name() + "'.");
    }
    int present = topic.partitions().size();
    int additional = asked.count() - present;
    if (additional <= 0) {
      throw new Refusal(
          Errors.INVALID_PARTITIONS,
          "Topic '%s' has %d partitions, so it cannot be set to %d: the count can only grow."
              .formatted(asked.name(), present, asked.count()));
    }
    List<List<Integer>> replicas = replicas(image, topic, asked, additional);
    List<ApiMessageAndVersion> records = new ArrayList<>();
    for (int i = 0; i < additional; i++) {
      records.add(placement.partitionRecord(image, topic.id(), present + i, replicas.get(i)));
    }
    return records;
  }

  private List<List<Integer>> replicas(
      MetadataImage image, TopicImage topic, CreatePartitionsTopic asked, int additional) {
    int present = topic.partitions().size();
    int factor = topic.partitions().values().iterator().next().replicas.length;
    if (asked.assignments() == null) {
      return placement.place(image, present, additional, factor);
    }
    if (asked.assignments().size() != additional) {
      throw new Refusal(
          Errors.INVALID_REPLICA_ASSIGNMENT,
          "%d partitions are to be added, but %d assignments were given."
              .formatted(additional, asked.assignments().size()));
    }
    List<List<Integer>> replicas = new ArrayList<>();
    for (CreatePartitionsAssignment assignment : asked.assignments()) {
      TopicPlacement.check(image, present + replicas.size(), assignment.brokerIds());
      if (assignment.brokerIds().size() != factor) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "Partition %d is given %d replicas, but the topic has %d."
                .formatted(present + replicas.size(), assignment.brokerIds().size(), factor));
      }
      replicas.add(assignment.brokerIds());
    }
    return replicas;
  }
}
