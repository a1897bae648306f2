package dev.tidemark.replica.fetch;

import dev.tidemark.replica.PartitionLeader;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The partitions of a shard, as followers ask for them. */
public interface LedPartitions {
  /** The leader of a partition if it is here, or null. */
  @Nullable PartitionLeader find(Uuid topicId, int partition);

  /** Why {@link #find} found nothing for a follower that knows a leader epoch. */
  Errors missing(Uuid topicId, int partition, int leaderEpoch);
}
