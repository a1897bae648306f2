package dev.tidemark.replica;

import dev.tidemark.log.LogId;
import java.util.List;

/**
 * An ISR that a leader asks the controller to commit, if the partition is still as the leader knows
 * it: compare and set by both epochs.
 */
public record IsrProposal(LogId id, int leaderEpoch, int partitionEpoch, List<IsrMember> isr) {
  public IsrProposal {
    isr = List.copyOf(isr);
  }
}
