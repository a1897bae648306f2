package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.metadata.Reply;

/** Asks the controller for a new leader epoch of a partition that this broker leads. */
@FunctionalInterface
interface LeaderEpochRenewal {
  /** The reply comes on the data shard, after the metadata that holds the epoch. */
  void renew(LogId partition, Reply<Integer> reply);
}
