package dev.tidemark.metadata;

import dev.tidemark.env.Randomness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** Decides CreateTopics. Each topic stands for itself: one refusal does not touch the others. */
final class TopicCreation {
  /** Partitions that one request may create; Kafka's bound. */
  static final int MAX_PARTITIONS_PER_REQUEST = 10_000;

  private final Randomness randomness;
  private final TopicNames names;
  private final TopicPlacement placement;
  private final EffectiveConfigs configs;

  TopicCreation(
      Randomness randomness, TopicNames names, TopicPlacement placement, EffectiveConfigs configs) {
    this.randomness = randomness;
    this.names = names;
    this.placement = placement;
    this.configs = configs;
  }

  Decision<CreateTopicsResponseData> decide(MetadataImage image, CreateTopicsRequestData request) {
    placement.startDecision();
    List<ApiMessageAndVersion> records = new ArrayList<>();
    CreateTopicsResponseData response = new CreateTopicsResponseData();
    Set<String> seen = new HashSet<>();
    Set<String> twice = new HashSet<>();
    request.topics().forEach(topic -> markSeen(topic.name(), seen, twice));
    Map<String, String> unified = new HashMap<>();
    boolean tooMany = askedPartitions(request) > MAX_PARTITIONS_PER_REQUEST;
    for (CreatableTopic topic : request.topics()) {
      if (response.topics().find(topic.name()) != null) {
        continue;
      }
      try {
        if (twice.contains(topic.name())) {
          throw new Refusal(Errors.INVALID_REQUEST, "Duplicate topic name.");
        }
        if (tooMany) {
          throw new Refusal(
              Errors.POLICY_VIOLATION,
              "A request may create up to %d partitions; send several requests."
                  .formatted(MAX_PARTITIONS_PER_REQUEST));
        }
        checkName(image, topic.name(), unified);
        Created created = create(image, topic);
        unified.put(Topic.unifyCollisionChars(topic.name()), topic.name());
        records.addAll(created.records);
        response.topics().add(created.result(image, configs, topic));
      } catch (Refusal e) {
        response.topics().add(refused(topic.name(), e));
      }
    }
    return request.validateOnly() ? Decision.of(response) : new Decision<>(records, response);
  }

  /** The partitions that the whole request would create. */
  private long askedPartitions(CreateTopicsRequestData request) {
    long sum = 0;
    for (CreatableTopic topic : request.topics()) {
      if (!topic.assignments().isEmpty()) {
        sum += topic.assignments().size();
      } else {
        int asked = topic.numPartitions();
        sum += asked == -1 ? placement.defaultPartitions() : Math.max(asked, 0);
      }
    }
    return sum;
  }

  private static void markSeen(String name, Set<String> seen, Set<String> twice) {
    if (!seen.add(name)) {
      twice.add(name);
    }
  }

  private static CreatableTopicResult refused(String name, Refusal e) {
    return new CreatableTopicResult()
        .setName(name)
        .setErrorCode(e.error().code())
        .setErrorMessage(e.message())
        .setNumPartitions(-1)
        .setReplicationFactor((short) -1);
  }

  private void checkName(MetadataImage image, String name, Map<String, String> unified) {
    if (name.equals(Topic.CLUSTER_METADATA_TOPIC_NAME)) {
      throw new Refusal(
          Errors.INVALID_REQUEST, "Creation of internal topic " + name + " is prohibited.");
    }
    try {
      Topic.validate(name);
    } catch (InvalidTopicException e) {
      throw new Refusal(Errors.INVALID_TOPIC_EXCEPTION, String.valueOf(e.getMessage()));
    }
    if (image.topics().getTopic(name) != null) {
      throw new Refusal(Errors.TOPIC_ALREADY_EXISTS, "Topic '" + name + "' already exists.");
    }
    String other = names.collisionOf(name);
    if (other == null) {
      other = unified.get(Topic.unifyCollisionChars(name));
    }
    if (other != null) {
      throw new Refusal(
          Errors.INVALID_TOPIC_EXCEPTION,
          "Topic '%s' collides with existing topic '%s': names must differ in more than '.' and '_'."
              .formatted(name, other));
    }
  }

  private Created create(MetadataImage image, CreatableTopic topic) {
    Map<String, String> own = ownConfigs(topic);
    List<List<Integer>> replicas =
        topic.assignments().isEmpty() ? automatic(image, topic) : manual(image, topic);
    Uuid topicId = freeId(image);
    List<ApiMessageAndVersion> records = new ArrayList<>();
    records.add(
        new ApiMessageAndVersion(
            new TopicRecord().setName(topic.name()).setTopicId(topicId), (short) 0));
    own.forEach((key, value) -> records.add(config(topic.name(), key, value)));
    for (int partition = 0; partition < replicas.size(); partition++) {
      records.add(placement.partitionRecord(image, topicId, partition, replicas.get(partition)));
    }
    return new Created(topicId, replicas.size(), replicas.get(0).size(), own, records);
  }

  private Uuid freeId(MetadataImage image) {
    Uuid id = RandomIds.next(randomness);
    while (image.topics().getTopic(id) != null) {
      id = RandomIds.next(randomness);
    }
    return id;
  }

  private static Map<String, String> ownConfigs(CreatableTopic topic) {
    Map<String, String> own = new TreeMap<>();
    for (CreatableTopicConfig config : topic.configs()) {
      if (config.value() == null) {
        throw new Refusal(
            Errors.INVALID_CONFIG, "Null value not supported for topic configs: " + config.name());
      }
      own.put(config.name(), config.value());
    }
    if (!own.isEmpty()) {
      ConfigRules.checkTopicValues(own);
    }
    return own;
  }

  private List<List<Integer>> automatic(MetadataImage image, CreatableTopic topic) {
    if (topic.replicationFactor() < -1 || topic.replicationFactor() == 0) {
      throw new Refusal(
          Errors.INVALID_REPLICATION_FACTOR,
          "Replication factor must be larger than 0, or -1 to use the default value.");
    }
    if (topic.numPartitions() < -1 || topic.numPartitions() == 0) {
      throw new Refusal(
          Errors.INVALID_PARTITIONS,
          "Number of partitions must be larger than 0, or -1 to use the default value.");
    }
    int count = topic.numPartitions() == -1 ? placement.defaultPartitions() : topic.numPartitions();
    int replicationFactor =
        topic.replicationFactor() == -1
            ? placement.defaultReplicationFactor(image)
            : topic.replicationFactor();
    return placement.place(image, 0, count, replicationFactor);
  }

  private static List<List<Integer>> manual(MetadataImage image, CreatableTopic topic) {
    if (topic.replicationFactor() != -1 || topic.numPartitions() != -1) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "A manual partition assignment was specified, but %s was not set to -1."
              .formatted(topic.replicationFactor() != -1 ? "replication factor" : "numPartitions"));
    }
    Map<Integer, List<Integer>> byPartition = new TreeMap<>();
    for (CreatableReplicaAssignment assignment : topic.assignments()) {
      int partition = assignment.partitionIndex();
      TopicPlacement.check(image, partition, assignment.brokerIds());
      if (byPartition.put(partition, assignment.brokerIds()) != null) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "Found multiple manual partition assignments for partition " + partition + ".");
      }
    }
    int factor = byPartition.values().iterator().next().size();
    int expected = 0;
    for (Map.Entry<Integer, List<Integer>> entry : byPartition.entrySet()) {
      if (entry.getKey() != expected) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "Partitions should be a consecutive 0-based integer sequence; %d is missing."
                .formatted(expected));
      }
      if (entry.getValue().size() != factor) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "Partition %d has %d replicas, but partition 0 has %d: all must have as many."
                .formatted(expected, entry.getValue().size(), factor));
      }
      expected++;
    }
    return List.copyOf(byPartition.values());
  }

  private static ApiMessageAndVersion config(String topic, String key, String value) {
    return new ApiMessageAndVersion(
        new ConfigRecord()
            .setResourceType(ConfigResource.Type.TOPIC.id())
            .setResourceName(topic)
            .setName(key)
            .setValue(value),
        (short) 0);
  }

  /** A topic that can be created. */
  private record Created(
      Uuid topicId,
      int partitions,
      int replicationFactor,
      Map<String, String> own,
      List<ApiMessageAndVersion> records) {

    CreatableTopicResult result(
        MetadataImage image, EffectiveConfigs configs, CreatableTopic topic) {
      return new CreatableTopicResult()
          .setName(topic.name())
          .setTopicId(topicId)
          .setErrorCode(Errors.NONE.code())
          .setErrorMessage(null)
          .setNumPartitions(partitions)
          .setReplicationFactor((short) replicationFactor)
          .setConfigs(CreatedTopicConfigs.list(image, configs, own));
    }
  }
}
