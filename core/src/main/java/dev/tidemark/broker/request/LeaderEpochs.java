package dev.tidemark.broker.request;

import dev.tidemark.replica.PartitionLeader;
import org.apache.kafka.common.protocol.Errors;

/** Fencing by leader epoch (KIP-320): whoever knows another epoch than ours is refused. */
final class LeaderEpochs {
  private LeaderEpochs() {}

  /** NONE, or why a request stamped with {@code known} (-1: not stamped) is refused. */
  static Errors check(PartitionLeader partition, int known) {
    if (partition.isStopped()) {
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    if (known < 0 || known == partition.leaderEpoch()) {
      return Errors.NONE;
    }
    return known < partition.leaderEpoch()
        ? Errors.FENCED_LEADER_EPOCH
        : Errors.UNKNOWN_LEADER_EPOCH;
  }
}
