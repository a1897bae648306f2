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

/** No replication: nobody else has replicas. */
final class LoneReplication implements Replication {
  /** A start after a crash has the less to check; without followers nobody needs more. */
  private static final long CHECKPOINT_INTERVAL_MS = 60_000;

  private final int nodeId;
  private final Shard shard;

  LoneReplication(int nodeId, Shard shard) {
    this.nodeId = nodeId;
    this.shard = shard;
  }

  @Override
  public ReplicaContext context(Background slowWork, Checkpoints checkpoints) {
    return ReplicaContext.alone(nodeId, slowWork, shard.timers(), shard.clock());
  }

  @Override
  public RoleListener followers() {
    return RoleListener.NONE;
  }

  @Override
  public void keepIn(Directory folder) {
    // There is nothing.
  }

  @Override
  public @Nullable OpenLosses losses() {
    return null;
  }

  @Override
  public boolean hasOthers() {
    return false;
  }

  @Override
  public ServedSession newSession(LedPartitions partitions) {
    throw new IllegalStateException("A broker that is alone serves no followers");
  }

  @Override
  public long lagCheckIntervalMs() {
    return Long.MAX_VALUE;
  }

  @Override
  public long checkpointIntervalMs() {
    return CHECKPOINT_INTERVAL_MS;
  }

  @Override
  public void stop() {
    // Nothing was begun.
  }
}
