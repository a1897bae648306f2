package dev.tidemark.replica;

import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The way to the controller for changes of an ISR (AlterPartition, KIP-497). A proposal is sent
 * once. Not promised: that an answer means the proposal was not committed unless the error says so;
 * one whose answer was lost may have been.
 */
public interface IsrProposals {
  /**
   * Sends a proposal. {@code reply} is called once, on the caller's shard, maybe within this call;
   * when no answer comes in time with {@link Errors#REQUEST_TIMED_OUT}.
   */
  void propose(IsrProposal proposal, Reply reply);

  /** Hears what became of a proposal. */
  @FunctionalInterface
  interface Reply {
    /** {@code committed} is not null if and only if {@code error} is {@link Errors#NONE}. */
    void onReply(Errors error, @Nullable CommittedIsr committed);
  }
}
