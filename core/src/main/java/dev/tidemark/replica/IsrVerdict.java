package dev.tidemark.replica;

import org.apache.kafka.common.protocol.Errors;

/** What a leader does after the controller's answer to an ISR proposal. */
enum IsrVerdict {
  /** It is the ISR now. */
  COMMITTED,

  /** It was not committed and never will be: back to the committed ISR. */
  ABANDON,

  /** Nobody knows whether it was committed: the same again, soon. */
  RETRY,

  /**
   * The controller knows the partition otherwise than this leader: newer metadata is on its way and
   * settles it. Until then what was proposed may be, or have been, the ISR.
   */
  AWAIT_METADATA;

  static IsrVerdict of(Errors error) {
    return switch (error) {
      case NONE -> COMMITTED;
      case OPERATION_NOT_ATTEMPTED, INELIGIBLE_REPLICA -> ABANDON;
      case UNKNOWN_TOPIC_OR_PARTITION,
          UNKNOWN_TOPIC_ID,
          FENCED_LEADER_EPOCH,
          INVALID_UPDATE_VERSION,
          INVALID_REQUEST,
          NEW_LEADER_ELECTED ->
          AWAIT_METADATA;
      // NOT_CONTROLLER, STALE_BROKER_EPOCH, time-outs, broken connections and the unforeseen.
      default -> RETRY;
    };
  }
}
