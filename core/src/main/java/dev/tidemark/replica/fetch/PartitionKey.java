package dev.tidemark.replica.fetch;

import dev.tidemark.log.LogId;
import org.apache.kafka.common.Uuid;

/** How requests and answers name a partition. */
record PartitionKey(Uuid topicId, int partition) {
  static PartitionKey of(LogId id) {
    return new PartitionKey(id.topicId(), id.partition());
  }
}
