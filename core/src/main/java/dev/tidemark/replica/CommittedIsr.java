package dev.tidemark.replica;

import java.util.List;

/** What the controller answers to an {@link IsrProposal} that it accepted. */
public record CommittedIsr(int leaderEpoch, int partitionEpoch, List<Integer> isr) {
  public CommittedIsr {
    isr = List.copyOf(isr);
  }
}
