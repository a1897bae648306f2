package dev.tidemark.cli;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeMetadataQuorumOptions;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

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
    TimeoutException missing = missing(admin);
    if (missing != null) {
      throw CommandFailure.failed(
          "no controller has become active within %d s, so nothing can be decided: more than half of the controllers have to run and reach each other; start those that are down, else see their logs"
              .formatted(ACTIVE_WITHIN_MS / 1000),
          missing);
    }
  }

  /** False when none has become active within some seconds. */
  static boolean isOneActive(Admin admin) throws InterruptedException {
    return missing(admin) == null;
  }

  private static @Nullable TimeoutException missing(Admin admin) throws InterruptedException {
    try {
      var unused =
          admin
              .describeMetadataQuorum(
                  new DescribeMetadataQuorumOptions().timeoutMs(ACTIVE_WITHIN_MS))
              .quorumInfo()
              .get();
      return null;
    } catch (ExecutionException e) {
      // Who does not know this question, or does not let everybody ask it, may decide all the same.
      return e.getCause() instanceof TimeoutException timeout ? timeout : null;
    }
  }
}
