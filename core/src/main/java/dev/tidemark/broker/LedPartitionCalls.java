package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.Uuid;

/**
 * What this broker has the controller write down of a partition that it leads. Each reply comes on
 * the data shard, after the metadata that holds the change.
 */
interface LedPartitionCalls {
  /** Asks for a new leader epoch, which is the reply. */
  void renew(LogId partition, Reply<Integer> reply);

  /** Notes the data folder that the partition lies in from now on. */
  void assign(LogId partition, Uuid directoryId, Reply<Uuid> reply);
}
