package dev.tidemark.replica;

import java.util.List;

/**
 * What the committed metadata says of a partition.
 *
 * @param leaderId -1 without a leader
 * @param leaderEpoch grows with every election
 * @param partitionEpoch grows with every change of what stands here (KIP-704); ISR changes are
 *     compared and set by it
 * @param replicas the assigned brokers
 * @param isr the in-sync ones of them, the leader included
 */
public record CommittedPartition(
    int leaderId, int leaderEpoch, int partitionEpoch, List<Integer> replicas, List<Integer> isr) {
  public CommittedPartition {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
  }
}
