package dev.tidemark.metadata;

import dev.tidemark.env.Randomness;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.ClusterImage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.placement.ClusterDescriber;
import org.apache.kafka.metadata.placement.PartitionAssignment;
import org.apache.kafka.metadata.placement.PlacementSpec;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.metadata.placement.UsableBroker;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/** Chooses brokers and folders for new partitions and makes their records. */
final class TopicPlacement {
  /** Replicas of a topic where neither the request nor the configuration says it. */
  private static final int DEFAULT_REPLICATION_FACTOR = 3;

  private final DirectoryLoads loads = new DirectoryLoads();
  private final Randomness randomness;
  private final int defaultPartitions;
  private final OptionalInt defaultReplicationFactor;

  TopicPlacement(Randomness randomness, ControllerSettings settings) {
    this.randomness = randomness;
    this.defaultPartitions = settings.numPartitions();
    this.defaultReplicationFactor = settings.defaultReplicationFactor();
  }

  /** To be called before the partitions of a decision are placed. */
  void startDecision() {
    loads.startDecision();
  }

  void onMetadataUpdate(MetadataDelta delta) {
    loads.onMetadataUpdate(delta);
  }

  int defaultPartitions() {
    return defaultPartitions;
  }

  /** The replication factor of a topic that asks for the default. */
  int defaultReplicationFactor(MetadataImage image) {
    int brokers = image.cluster().brokers().size();
    return defaultReplicationFactor.orElse(
        Math.max(1, Math.min(DEFAULT_REPLICATION_FACTOR, brokers)));
  }

  /** Replicas for {@code count} partitions from {@code firstPartition} on, the leader first. */
  List<List<Integer>> place(
      MetadataImage image, int firstPartition, int count, int replicationFactor) {
    try {
      return new StripedReplicaPlacer(new Random(randomness.nextLong()))
              .place(
                  new PlacementSpec(firstPartition, count, (short) replicationFactor),
                  new Brokers(image.cluster()))
              .assignments()
              .stream()
              .map(PartitionAssignment::replicas)
              .toList();
    } catch (InvalidReplicationFactorException e) {
      throw new Refusal(Errors.INVALID_REPLICATION_FACTOR, String.valueOf(e.getMessage()));
    }
  }

  /** The folder of the broker for one more replica. */
  Uuid chooseFolder(BrokerRegistration broker) {
    return loads.choose(broker.directories());
  }

  /** Checks replicas that a client chose. */
  static void check(MetadataImage image, int partition, List<Integer> replicas) {
    if (replicas.isEmpty()) {
      throw new Refusal(
          Errors.INVALID_REPLICA_ASSIGNMENT,
          "The manual assignment of partition %d lists no replica.".formatted(partition));
    }
    List<Integer> seen = new ArrayList<>();
    for (Integer replica : replicas) {
      if (seen.contains(replica)) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "The manual assignment of partition %d lists broker %d twice."
                .formatted(partition, replica));
      }
      if (image.cluster().broker(replica) == null) {
        throw new Refusal(
            Errors.INVALID_REPLICA_ASSIGNMENT,
            "The manual assignment of partition %d lists broker %d, but no such broker is registered."
                .formatted(partition, replica));
      }
      seen.add(replica);
    }
  }

  /** A new partition, led by the first of its replicas that is not fenced. */
  ApiMessageAndVersion partitionRecord(
      MetadataImage image, Uuid topicId, int partition, List<Integer> replicas) {
    ClusterImage cluster = image.cluster();
    List<Integer> alive = replicas.stream().filter(id -> isAlive(cluster.broker(id))).toList();
    if (alive.isEmpty()) {
      throw new Refusal(
          Errors.INVALID_REPLICA_ASSIGNMENT,
          "All brokers of partition %d, %s, are fenced: start one of them."
              .formatted(partition, replicas));
    }
    List<Uuid> directories = replicas.stream().map(id -> chooseFolder(cluster.broker(id))).toList();
    PartitionRecord record =
        new PartitionRecord()
            .setTopicId(topicId)
            .setPartitionId(partition)
            .setReplicas(replicas)
            .setIsr(alive)
            .setRemovingReplicas(List.of())
            .setAddingReplicas(List.of())
            .setLeader(alive.get(0))
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED.value())
            .setLeaderEpoch(0)
            .setPartitionEpoch(0)
            .setDirectories(directories);
    return new ApiMessageAndVersion(
        record, image.features().metadataVersionOrThrow().partitionRecordVersion());
  }

  private static boolean isAlive(BrokerRegistration broker) {
    return !broker.fenced() && !broker.inControlledShutdown();
  }

  /** The cluster for Kafka's placer, in the order of broker ids. */
  private record Brokers(ClusterImage cluster) implements ClusterDescriber {
    @Override
    public Iterator<UsableBroker> usableBrokers() {
      Map<Integer, BrokerRegistration> sorted = new TreeMap<>(cluster.brokers());
      return sorted.values().stream()
          .map(
              broker ->
                  new UsableBroker(
                      broker.id(), broker.rack(), broker.fenced() || broker.inControlledShutdown()))
          .iterator();
    }

    @Override
    public Uuid defaultDir(int brokerId) {
      return org.apache.kafka.common.DirectoryId.UNASSIGNED;
    }
  }
}
