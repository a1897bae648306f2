package dev.tidemark.broker.replication;

import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.replica.Checkpoints;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.replica.RoleListener;
import dev.tidemark.replica.fetch.LedPartitions;
import dev.tidemark.replica.fetch.ServedSession;
import org.jspecify.annotations.Nullable;

/** What the replicas on a broker need of the others in its cluster. Owned by the data shard. */
public interface Replication {
  /**
   * What the replicas in one data folder share.
   *
   * @param slowWork where work on that folder runs
   * @param checkpoints what is written down of the folder's logs
   */
  ReplicaContext context(Background slowWork, Checkpoints checkpoints);

  /** Who fetches for followers. */
  RoleListener followers();

  /** Where to keep what has to be known after a restart. */
  void keepIn(Directory folder);

  /** What elections on this broker may have cost; null of a broker that is alone. */
  @Nullable OpenLosses losses();

  /** False of a broker that is alone: nobody else has replicas, and nobody fetches as one. */
  boolean hasOthers();

  /** For the fetches of one connection of a follower broker. */
  ServedSession newSession(LedPartitions partitions);

  /** How often leaders look for followers that lag, at least 1. */
  long lagCheckIntervalMs();

  /** How often high watermarks and recovery points are written down. */
  long checkpointIntervalMs();

  /** Nothing is fetched any more. */
  void stop();

  /** Of a broker that is alone in its cluster. */
  static Replication alone(int nodeId, Shard shard) {
    return new LoneReplication(nodeId, shard);
  }
}
