package dev.tidemark.broker.request;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.requests.FetchMetadata;

/** The partitions one client fetches, kept so that its requests name only changes (KIP-227). */
final class FetchSession {
  private final int id;
  private final boolean usesTopicIds;
  private final Map<FetchedPartition.Key, FetchedPartition> partitions = new LinkedHashMap<>();
  private int nextEpoch = FetchMetadata.nextEpoch(FetchMetadata.INITIAL_EPOCH);
  private long lastUsedMs;

  FetchSession(int id, boolean usesTopicIds, long nowMs) {
    this.id = id;
    this.usesTopicIds = usesTopicIds;
    this.lastUsedMs = nowMs;
  }

  int id() {
    return id;
  }

  boolean usesTopicIds() {
    return usesTopicIds;
  }

  int nextEpoch() {
    return nextEpoch;
  }

  long lastUsedMs() {
    return lastUsedMs;
  }

  /** The next request of the session has come. */
  void advance(long nowMs) {
    nextEpoch = FetchMetadata.nextEpoch(nextEpoch);
    lastUsedMs = nowMs;
  }

  /** Takes over what a request adds, changes and forgets. */
  void update(FetchRequestData request) {
    for (FetchTopic topic : request.topics()) {
      for (FetchPartition wanted : topic.partitions()) {
        FetchedPartition.Key key = key(topic.topic(), topic.topicId(), wanted.partition());
        partitions.computeIfAbsent(key, FetchedPartition::new).update(wanted);
      }
    }
    for (ForgottenTopic topic : request.forgottenTopicsData()) {
      for (int partition : topic.partitions()) {
        partitions.remove(key(topic.topic(), topic.topicId(), partition));
      }
    }
  }

  private FetchedPartition.Key key(String topic, Uuid topicId, int partition) {
    return usesTopicIds
        ? new FetchedPartition.Key(null, topicId, partition)
        : new FetchedPartition.Key(topic, Uuid.ZERO_UUID, partition);
  }

  int size() {
    return partitions.size();
  }

  /** The partitions in the order in which they are served. */
  List<FetchedPartition> inOrder() {
    return new ArrayList<>(partitions.values());
  }

  /** Puts a partition that was served behind the others, so that each gets its turn. */
  void moveToEnd(FetchedPartition served) {
    if (partitions.remove(served.key(), served)) {
      partitions.put(served.key(), served);
    }
  }
}
