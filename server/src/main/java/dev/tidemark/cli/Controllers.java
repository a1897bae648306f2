package dev.tidemark.cli;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeMetadataQuorumOptions;
import org.apache.kafka.common.errors.TimeoutException;

/** What commands share that the active controller decides. */
final class Controllers {
  /** Longer than an election takes, also one that was split a few times. */
  private static final int ACTIVE_WITHIN_MS = 8_000;

  private Controllers() {}

  /**
   * Fails when no controller is active: a broker would pass the question on to the next one for
   * half a minute, and then tell nothing of the reason.
   */
  static void requireActive(Admin admin) throws CommandFailure, InterruptedException {
    try {
      var unused =
          admin
              .describeMetadataQuorum(
                  new DescribeMetadataQuorumOptions().timeoutMs(ACTIVE_WITHIN_MS))
              .quorumInfo()
              .get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw CommandFailure.failed(
            "no controller has become active within %d s, so nothing can be decided: more than half of the controllers have to run and reach each other; start those that are down, else see their logs"
                .formatted(ACTIVE_WITHIN_MS / 1000),
            e.getCause());
      }
      // Who does not know this question, or does not let everybody ask it, may decide all the same.
    }
  }
}
