package dev.tidemark.broker.replication;

import dev.tidemark.env.Background;
import dev.tidemark.env.Shard;
import dev.tidemark.replica.Checkpoints;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.replica.RoleListener;

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

  /** Nothing is fetched any more. */
  void stop();

  /** Of a broker that is alone in its cluster: nobody else has replicas. */
  static Replication alone(int nodeId, Shard shard) {
    return new Replication() {
      @Override
      public ReplicaContext context(Background slowWork, Checkpoints checkpoints) {
        return ReplicaContext.alone(nodeId, slowWork, shard.timers(), shard.clock());
      }

      @Override
      public RoleListener followers() {
        return RoleListener.NONE;
      }

      @Override
      public void stop() {
        // Nothing was begun.
      }
    };
  }
}
