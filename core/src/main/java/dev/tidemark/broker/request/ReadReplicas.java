package dev.tidemark.broker.request;

import dev.tidemark.replica.PartitionLeader;

/** Where a consumer had better read from ({@code replica.selector.class}, KIP-392). */
@FunctionalInterface
public interface ReadReplicas {
  /** Always the leader. */
  ReadReplicas LEADER = (leader, offset, rack) -> ReadReplicas.HERE;

  int HERE = -1;

  /**
   * The in-sync follower from which a consumer in {@code rack} should read at {@code offset}, or
   * {@link #HERE}.
   *
   * @param rack not empty
   */
  int choose(PartitionLeader leader, long offset, String rack);
}
