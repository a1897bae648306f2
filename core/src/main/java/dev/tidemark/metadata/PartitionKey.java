package dev.tidemark.metadata;

import org.apache.kafka.common.Uuid;

/** Names a partition, whatever its topic is called; ordered, so that equal histories act alike. */
record PartitionKey(Uuid topicId, int partition) implements Comparable<PartitionKey> {
  @Override
  public int compareTo(PartitionKey other) {
    int byTopic = topicId.compareTo(other.topicId);
    return byTopic == 0 ? Integer.compare(partition, other.partition) : byTopic;
  }

  @Override
  public String toString() {
    return topicId + "-" + partition;
  }
}
