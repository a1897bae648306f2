package dev.tidemark.broker;

import dev.tidemark.log.ActiveLogs;
import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import dev.tidemark.replica.Traffic;
import dev.tidemark.replica.fetch.LedPartitions;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.TopicImage;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of which this broker has a replica, by topic name and topic id, and what cluster
 * metadata says of those it has none of. Owned by the data shard.
 */
public final class Partitions implements LedPartitions {
  /** Logs that have files open at once; of further ones some close theirs. */
  private static final int MAX_OPEN_LOGS = 2000;

  /** So many that have changed are no longer told apart from the others. */
  private static final int MANY = 1000;

  private final ActiveLogs activeLogs = new ActiveLogs(MAX_OPEN_LOGS);
  private final TreeMap<String, HostedTopic> byName = new TreeMap<>();
  private final Map<Uuid, HostedTopic> byId = new HashMap<>();
  private final Map<String, Offline> offline = new TreeMap<>();
  private final ArrayDeque<HostedTopic> awaiting = new ArrayDeque<>();
  private Function<AssignedLog, @Nullable HostedReplica> maker = log -> null;
  private final Traffic traffic = new Traffic(null);
  private final Set<LogId> changed = new LinkedHashSet<>();
  private boolean allChanged = true;
  private final MetadataView view;
  private BooleanSupplier mayServe = () -> true;

  /** A partition that should be here and cannot be served, and why. */
  private record Offline(LogId id, String why) {}

  /** Of a node that knows no topics but those it hosts. */
  public Partitions() {
    this(new MetadataView());
  }

  /** {@code view} tells of topics that are hosted elsewhere. */
  public Partitions(MetadataView view) {
    this.view = view;
  }

  /** The leader of a partition, or null if it is not here. */
  public @Nullable PartitionLeader find(String topic, int partition) {
    HostedReplica replica = replica(topic, partition);
    return replica == null ? null : replica.leader();
  }

  /** The leader of a partition, or null if it is not here. */
  @Override
  public @Nullable PartitionLeader find(Uuid topicId, int partition) {
    HostedReplica replica = replica(topicId, partition);
    return replica == null ? null : replica.leader();
  }

  /** The leader of a partition, or null if it is not here. */
  public @Nullable PartitionLeader find(TopicPartition partition) {
    return find(partition.topic(), partition.partition());
  }

  /** From now on clients find leaders here only while {@code lease} says so. */
  void serveWhile(BooleanSupplier lease) {
    mayServe = lease;
  }

  /** Whether this broker may serve clients as a leader now. */
  public boolean mayServe() {
    return mayServe.getAsBoolean();
  }

  /** The leader that a client asks for, or null if it is not here or may not serve now. */
  public @Nullable PartitionLeader serving(String topic, int partition) {
    return mayServe() ? find(topic, partition) : null;
  }

  /** The leader that a client asks for, or null if it is not here or may not serve now. */
  public @Nullable PartitionLeader serving(Uuid topicId, int partition) {
    return mayServe() ? find(topicId, partition) : null;
  }

  /** The role of this broker in a partition, or null if it has none. */
  public @Nullable PartitionReplica role(String topic, int partition) {
    HostedReplica replica = replica(topic, partition);
    return replica == null ? null : replica.role();
  }

  /** The role of this broker in a partition, or null if it has none. */
  public @Nullable PartitionReplica role(Uuid topicId, int partition) {
    HostedReplica replica = replica(topicId, partition);
    return replica == null ? null : replica.role();
  }

  /** The replica, or null if it is not hosted here. */
  @Nullable HostedReplica replica(String topic, int partition) {
    HostedTopic hosted = byName.get(topic);
    return hosted == null ? null : replica(hosted, partition);
  }

  /** The replica, or null if it is not hosted here. */
  @Nullable HostedReplica replica(Uuid topicId, int partition) {
    HostedTopic hosted = byId.get(topicId);
    return hosted == null ? null : replica(hosted, partition);
  }

  private @Nullable HostedReplica replica(HostedTopic topic, int partition) {
    HostedReplica found = topic.partition(partition);
    return found == null && topic.awaitsAny() ? topic.make(partition, maker) : found;
  }

  /** The replica to which a log belongs; null when the partition has another one now, or none. */
  @Nullable HostedReplica replicaOf(PartitionLog log) {
    HostedReplica found = replica(log.id().topicId(), log.id().partition());
    return found == null || found.log() != log ? null : found;
  }

  /** Sets who makes awaited partitions: it hosts one and returns it, or null. */
  void makeAwaitedBy(Function<AssignedLog, @Nullable HostedReplica> newMaker) {
    maker = newMaker;
  }

  /** Notes a new partition, which is made when it is asked for or by {@link #makeNextAwaited}. */
  void await(AssignedLog log) {
    HostedTopic topic = topic(log.id());
    topic.await(log);
    if (awaiting.peekLast() != topic) {
      awaiting.add(topic);
    }
  }

  /** Makes an awaited partition; false when there is none. */
  boolean makeNextAwaited() {
    HostedTopic topic = awaiting.peek();
    while (topic != null && !topic.awaitsAny()) {
      awaiting.remove();
      topic = awaiting.peek();
    }
    if (topic == null) {
      return false;
    }
    topic.makeNext(maker);
    return true;
  }

  /** The name of a topic, or null when there is none with that id. */
  public @Nullable String topicName(Uuid topicId) {
    HostedTopic hosted = byId.get(topicId);
    if (hosted != null) {
      return hosted.name();
    }
    for (Offline one : offline.values()) {
      if (one.id().topicId().equals(topicId)) {
        return one.id().topic();
      }
    }
    TopicImage elsewhere = view.image().topics().getTopic(topicId);
    return elsewhere == null ? null : elsewhere.name();
  }

  /**
   * Why {@link #find} finds nothing: a partition is offline, led elsewhere or by nobody, or there
   * is none.
   */
  public Errors missing(String topic, int partition) {
    if (isOffline(topic, partition)) {
      return Errors.KAFKA_STORAGE_ERROR;
    }
    TopicImage known = view.image().topics().getTopic(topic);
    boolean exists =
        replica(topic, partition) != null
            || (known != null && known.partitions().containsKey(partition));
    return exists ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.UNKNOWN_TOPIC_OR_PARTITION;
  }

  /**
   * The same for who knows a leader epoch, -1 for none: if it is not the one known here, that comes
   * first, as whoever asks the wrong broker need not have the wrong epoch (KAFKA-14078).
   */
  public Errors missing(String topic, int partition, int leaderEpoch) {
    PartitionReplica role = role(topic, partition);
    Errors wrongEpoch = role == null ? Errors.NONE : role.checkEpoch(leaderEpoch);
    return wrongEpoch == Errors.NONE ? missing(topic, partition) : wrongEpoch;
  }

  @Override
  public Errors missing(Uuid topicId, int partition, int leaderEpoch) {
    String topic = topicName(topicId);
    return topic == null ? Errors.UNKNOWN_TOPIC_ID : missing(topic, partition, leaderEpoch);
  }

  /** What to tell a client that {@link #find} finds nothing for. */
  public String whyMissing(String topic, int partition) {
    Offline one = offline.get(topic + "-" + partition);
    return one == null
        ? "%s-%d is not served by this broker".formatted(topic, partition)
        : "%s-%d is offline: %s".formatted(topic, partition, one.why());
  }

  /** True if the partition should be here and cannot be served. */
  public boolean isOffline(String topic, int partition) {
    return !offline.isEmpty() && offline.containsKey(topic + "-" + partition);
  }

  void addOffline(LogId id, String why) {
    offline.put(id.folderName(), new Offline(id, why));
    noteChanged(id);
  }

  void removeOffline(LogId id) {
    if (isOffline(id)) {
      offline.remove(id.folderName());
      noteChanged(id);
    }
  }

  /** The logs of hosted partitions that periodic work has to look at. */
  ActiveLogs activeLogs() {
    return activeLogs;
  }

  /** What a checkpoint tells of a partition has changed: it came, went or was written to. */
  void noteChanged(LogId id) {
    if (changed.size() >= MANY) {
      noteAllChanged();
    }
    if (!allChanged) {
      changed.add(id);
    }
  }

  /** All that a checkpoint tells may have changed. */
  void noteAllChanged() {
    allChanged = true;
    changed.clear();
  }

  /** The partitions that have changed since this was last asked; null when all may have. */
  @Nullable List<LogId> takeChanged() {
    List<LogId> taken = allChanged ? null : List.copyOf(changed);
    allChanged = false;
    changed.clear();
    return taken;
  }

  boolean isOffline(LogId id) {
    Offline one = offline.get(id.folderName());
    return one != null && one.id().equals(id);
  }

  /** The partitions that should be here and cannot be served, by folder name. */
  Collection<LogId> offline() {
    return offline.values().stream().map(Offline::id).toList();
  }

  /** A hosted partition serves no more, until it is hosted again. */
  void takeOffline(LogId id, String why) {
    HostedReplica unused = remove(id);
    addOffline(id, why);
  }

  /** Forgets a partition, also one that is awaited; returns what was hosted of it, or null. */
  @Nullable HostedReplica remove(LogId id) {
    HostedTopic hosted = byId.get(id.topicId());
    if (hosted == null) {
      return null;
    }
    hosted.awaitNoMore(id.partition());
    HostedReplica partition = hosted.partition(id.partition());
    if (partition != null) {
      hosted.remove(id.partition());
      activeLogs.remove(partition.log());
      noteChanged(id);
    }
    return partition;
  }

  /** Takes a partition in, which serves in its role from now on. */
  public void host(HostedReplica partition) {
    removeOffline(partition.log().id());
    HostedTopic hosted = topic(partition.log().id());
    hosted.put(partition.log().id().partition(), partition);
    activeLogs.add(partition.log());
    noteChanged(partition.log().id());
  }

  private HostedTopic topic(LogId id) {
    HostedTopic topic = byId.get(id.topicId());
    if (topic == null) {
      topic =
          byName.computeIfAbsent(id.topic(), name -> new HostedTopic(name, id.topicId(), traffic));
      byId.put(id.topicId(), topic);
    }
    return topic;
  }

  /** Forgets a topic; returns what was hosted of it, or null. */
  @Nullable HostedTopic removeTopic(Uuid topicId) {
    HostedTopic hosted = byId.remove(topicId);
    if (hosted != null) {
      byName.remove(hosted.name());
      awaiting.removeIf(topic -> topic == hosted);
      for (HostedReplica partition : hosted.hosted()) {
        activeLogs.remove(partition.log());
        noteChanged(partition.log().id());
      }
    }
    return hosted;
  }

  /** What is written and read on this node. */
  public Traffic traffic() {
    return traffic;
  }

  /** The topics hosted here that follow {@code name}, by name; all of them after null. */
  Collection<HostedTopic> topicsAfter(@Nullable String name) {
    return name == null ? byName.values() : byName.tailMap(name, false).values();
  }

  /** A topic's partitions, by partition; none if it is not hosted here. */
  void forEachOf(String topic, Consumer<HostedReplica> action) {
    HostedTopic hosted = byName.get(topic);
    if (hosted != null) {
      hosted.hosted().forEach(action);
    }
  }

  /** All replicas, by topic name and partition. */
  void forEachReplica(Consumer<HostedReplica> action) {
    for (HostedTopic hosted : byName.values()) {
      hosted.hosted().forEach(action);
    }
  }

  /** The roles of this broker in all partitions, by topic name and partition. */
  public void forEach(Consumer<PartitionReplica> action) {
    forEachReplica(
        replica -> {
          PartitionReplica role = replica.role();
          if (role != null) {
            action.accept(role);
          }
        });
  }

  /** All that are led here, by topic name and partition. */
  void forEachLeader(Consumer<PartitionLeader> action) {
    forEachReplica(
        replica -> {
          PartitionLeader leader = replica.leader();
          if (leader != null) {
            action.accept(leader);
          }
        });
  }
}
