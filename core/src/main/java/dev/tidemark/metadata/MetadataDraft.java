package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/**
 * A decision in the making: the committed metadata with what was decided so far on top, so that the
 * second step of a decision sees the first (KAFKA-13173: brokers that fall silent together are
 * fenced one after the other).
 */
final class MetadataDraft {
  /** Partitions that one batch changes; well below what a batch holds. */
  static final int MAX_CHANGES = 10_000;

  private final MetadataImage image;
  private final ElectionContext context;
  private final boolean keepsEligible;
  private final List<ApiMessageAndVersion> records = new ArrayList<>();
  private final Map<Integer, Optional<BrokerRegistration>> brokers = new HashMap<>();
  private final Set<Integer> stopped = new HashSet<>();
  private final TreeMap<PartitionKey, PartitionChange> changes = new TreeMap<>();
  private final Map<Uuid, TopicPolicy> policies = new HashMap<>();

  private record TopicPolicy(int minInsyncReplicas, boolean allowsUncleanElection) {}

  MetadataDraft(MetadataImage image, ElectionContext context) {
    this.image = image;
    this.context = context;
    this.keepsEligible = PartitionPolicy.keepsEligible(image);
  }

  MetadataImage image() {
    return image;
  }

  PartitionIndex index() {
    return context.index();
  }

  boolean keepsEligible() {
    return keepsEligible;
  }

  MetadataVersion version() {
    return image.features().metadataVersionOrThrow();
  }

  void add(ApiMessage record, short version) {
    records.add(new ApiMessageAndVersion(record, version));
  }

  /** The broker as this decision leaves it; null if it is not registered then. */
  @Nullable BrokerRegistration broker(int brokerId) {
    Optional<BrokerRegistration> changed = brokers.get(brokerId);
    return changed == null ? image.cluster().broker(brokerId) : changed.orElse(null);
  }

  /** The same of a broker that is registered. */
  BrokerRegistration registered(int brokerId) {
    BrokerRegistration broker = broker(brokerId);
    if (broker == null) {
      throw new IllegalStateException("Broker " + brokerId + " is not registered");
    }
    return broker;
  }

  /** The broker's record is to be added besides. */
  void setBroker(int brokerId, @Nullable BrokerRegistration broker) {
    brokers.put(brokerId, Optional.ofNullable(broker));
  }

  /** It is proven that the broker's process does not serve any more. */
  void noteStopped(int brokerId) {
    stopped.add(brokerId);
  }

  /** The partition as it is committed. */
  @Nullable PartitionRegistration committed(PartitionKey key) {
    TopicImage topic = image.topics().getTopic(key.topicId());
    return topic == null ? null : topic.partitions().get(key.partition());
  }

  /** The change of a partition that exists. */
  PartitionChange change(PartitionKey key) {
    PartitionChange known = changes.get(key);
    if (known != null) {
      return known;
    }
    PartitionChange change = new PartitionChange(existing(key), new Facts(key));
    changes.put(key, change);
    return change;
  }

  /** Whether the broker is in sync there, as far as was decided. */
  boolean isInSync(PartitionKey key, int brokerId) {
    PartitionChange change = changes.get(key);
    return change == null
        ? Replicas.contains(existing(key).isr, brokerId)
        : change.isr().contains(brokerId);
  }

  /** Whether the broker may lead there though it is not in sync, as far as was decided. */
  boolean isEligible(PartitionKey key, int brokerId) {
    PartitionChange change = changes.get(key);
    return change == null
        ? Replicas.contains(existing(key).elr, brokerId)
        : change.elr().contains(brokerId);
  }

  /** Who leads there, as far as was decided; -1 = nobody. */
  int leader(PartitionKey key) {
    PartitionChange change = changes.get(key);
    return change == null ? existing(key).leader : change.leader();
  }

  private PartitionRegistration existing(PartitionKey key) {
    PartitionRegistration state = committed(key);
    if (state == null) {
      throw new IllegalStateException("There is no partition " + key);
    }
    return state;
  }

  /** True when no more partitions should be changed in this batch. */
  boolean isFull() {
    return changes.size() >= MAX_CHANGES;
  }

  /** All that was decided; what concerns partitions is last. */
  List<ApiMessageAndVersion> records() {
    List<ApiMessageAndVersion> all = new ArrayList<>(records);
    short version = version().partitionChangeRecordVersion();
    changes.forEach(
        (key, change) -> {
          Optional<PartitionChangeRecord> record = change.record(key);
          record.ifPresent(one -> all.add(new ApiMessageAndVersion(one, version)));
        });
    return all;
  }

  <T> Decision<T> decision(T response) {
    return new Decision<>(records(), response);
  }

  private TopicPolicy policy(Uuid topicId) {
    return policies.computeIfAbsent(
        topicId,
        id -> {
          TopicImage topic = image.topics().getTopic(id);
          String name = topic == null ? "" : topic.name();
          PartitionPolicy policy = context.policy();
          return new TopicPolicy(
              policy.minInsyncReplicas(image, name), policy.allowsUncleanElection(image, name));
        });
  }

  /** What a partition's change asks. */
  private final class Facts implements PartitionChange.Facts {
    private final PartitionKey key;

    Facts(PartitionKey key) {
      this.key = key;
    }

    @Override
    public boolean isActive(int brokerId, Uuid directory) {
      BrokerRegistration broker = broker(brokerId);
      return broker != null
          && !broker.fenced()
          && !broker.inControlledShutdown()
          && isOnline(broker, directory);
    }

    @Override
    public boolean mayServe(int brokerId, Uuid directory) {
      BrokerRegistration committed = image.cluster().broker(brokerId);
      if (committed == null || committed.fenced() || stopped.contains(brokerId)) {
        return false;
      }
      BrokerRegistration broker = broker(brokerId);
      return !context.liveness().isLocal(brokerId)
          && (broker == null || isOnline(broker, directory));
    }

    /** The process that decides looks after its own folders. */
    private boolean isOnline(BrokerRegistration broker, Uuid directory) {
      return context.liveness().isLocal(broker.id()) || broker.hasOnlineDir(directory);
    }

    @Override
    public boolean isHeld() {
      return context.handovers().isHeld(key, stopped);
    }

    @Override
    public int minInsyncReplicas() {
      return policy(key.topicId()).minInsyncReplicas();
    }

    @Override
    public boolean keepsEligible() {
      return keepsEligible;
    }

    @Override
    public boolean allowsUncleanElection() {
      return policy(key.topicId()).allowsUncleanElection();
    }
  }
}
