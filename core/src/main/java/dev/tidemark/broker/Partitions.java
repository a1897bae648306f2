package dev.tidemark.broker;

import dev.tidemark.log.ActiveLogs;
import dev.tidemark.log.LogId;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.Traffic;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The partitions that this broker hosts, by topic name and topic id. Owned by the data shard. */
public final class Partitions {
  /** Logs that have files open at once; of further ones some close theirs. */
  private static final int MAX_OPEN_LOGS = 2000;

  /** So many that have changed are no longer told apart from the others. */
  private static final int MANY = 1000;

  private final ActiveLogs activeLogs = new ActiveLogs(MAX_OPEN_LOGS);
  private final TreeMap<String, HostedTopic> byName = new TreeMap<>();
  private final Map<Uuid, HostedTopic> byId = new HashMap<>();
  private final Map<String, Offline> offline = new TreeMap<>();
  private final ArrayDeque<HostedTopic> awaiting = new ArrayDeque<>();
  private Function<AssignedLog, @Nullable PartitionLeader> maker = log -> null;
  private final Traffic traffic = new Traffic(null);
  private final Set<LogId> changed = new LinkedHashSet<>();
  private boolean allChanged = true;

  /** A partition that should be here and cannot be served, and why. */
  private record Offline(LogId id, String why) {}

  /** The partition, or null if it is not hosted here. */
  public @Nullable PartitionLeader find(String topic, int partition) {
    HostedTopic hosted = byName.get(topic);
    return hosted == null ? null : find(hosted, partition);
  }

  /** The partition, or null if it is not hosted here. */
  public @Nullable PartitionLeader find(Uuid topicId, int partition) {
    HostedTopic hosted = byId.get(topicId);
    return hosted == null ? null : find(hosted, partition);
  }

  private @Nullable PartitionLeader find(HostedTopic topic, int partition) {
    PartitionLeader found = topic.partition(partition);
    return found == null && topic.awaitsAny() ? topic.make(partition, maker) : found;
  }

  /** Sets who makes awaited partitions: it hosts one and returns it, or null. */
  void makeAwaitedBy(Function<AssignedLog, @Nullable PartitionLeader> newMaker) {
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

  /** The partition, or null if it is not hosted here. */
  public @Nullable PartitionLeader find(TopicPartition partition) {
    return find(partition.topic(), partition.partition());
  }

  /** The name of a topic that has partitions here, or null. */
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
    return null;
  }

  /** Why {@link #find} finds nothing: a partition is offline, or not hosted here at all. */
  public Errors missing(String topic, int partition) {
    return isOffline(topic, partition)
        ? Errors.KAFKA_STORAGE_ERROR
        : Errors.UNKNOWN_TOPIC_OR_PARTITION;
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
    HostedTopic hosted = byId.get(id.topicId());
    PartitionLeader partition = hosted == null ? null : hosted.partition(id.partition());
    if (hosted != null && partition != null) {
      hosted.remove(id.partition());
      activeLogs.remove(partition.log());
    }
    addOffline(id, why);
  }

  /** Takes a partition in, which serves from now on. */
  public void host(PartitionLeader partition) {
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
      for (PartitionLeader partition : hosted.hosted()) {
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
  void forEachOf(String topic, Consumer<PartitionLeader> action) {
    HostedTopic hosted = byName.get(topic);
    if (hosted != null) {
      hosted.hosted().forEach(action);
    }
  }

  /** All partitions, by topic name and partition. */
  public void forEach(Consumer<PartitionLeader> action) {
    for (HostedTopic hosted : byName.values()) {
      hosted.hosted().forEach(action);
    }
  }
}
