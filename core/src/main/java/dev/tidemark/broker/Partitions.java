package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.Traffic;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The partitions that this broker hosts, by topic name and topic id. Owned by the data shard. */
public final class Partitions {
  private final TreeMap<String, HostedTopic> byName = new TreeMap<>();
  private final Map<Uuid, HostedTopic> byId = new HashMap<>();
  private final Map<String, LogId> offline = new TreeMap<>();
  private final Traffic traffic = new Traffic(null);

  /** The partition, or null if it is not hosted here. */
  public @Nullable PartitionLeader find(String topic, int partition) {
    HostedTopic hosted = byName.get(topic);
    return hosted == null ? null : hosted.partition(partition);
  }

  /** The partition, or null if it is not hosted here. */
  public @Nullable PartitionLeader find(Uuid topicId, int partition) {
    HostedTopic hosted = byId.get(topicId);
    return hosted == null ? null : hosted.partition(partition);
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
    for (LogId id : offline.values()) {
      if (id.topicId().equals(topicId)) {
        return id.topic();
      }
    }
    return null;
  }

  /** Why {@link #find} finds nothing: a partition is offline, or not hosted here at all. */
  public Errors missing(String topic, int partition) {
    return !offline.isEmpty() && offline.containsKey(topic + "-" + partition)
        ? Errors.KAFKA_STORAGE_ERROR
        : Errors.UNKNOWN_TOPIC_OR_PARTITION;
  }

  void addOffline(LogId id) {
    offline.put(id.folderName(), id);
  }

  void removeOffline(LogId id) {
    offline.remove(id.folderName(), id);
  }

  /** The partitions that should be here and could not be opened. */
  Collection<LogId> offline() {
    return offline.values();
  }

  /** Takes a partition in, which serves from now on. */
  public void host(PartitionLeader partition) {
    String topic = partition.log().id().topic();
    Uuid topicId = partition.log().id().topicId();
    HostedTopic hosted =
        byName.computeIfAbsent(topic, name -> new HostedTopic(name, topicId, traffic));
    byId.put(topicId, hosted);
    hosted.put(partition.log().id().partition(), partition);
  }

  /** Forgets a topic; returns what was hosted of it, or null. */
  @Nullable HostedTopic removeTopic(Uuid topicId) {
    HostedTopic hosted = byId.remove(topicId);
    if (hosted != null) {
      byName.remove(hosted.name());
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
