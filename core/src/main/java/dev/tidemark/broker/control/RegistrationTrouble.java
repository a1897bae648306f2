package dev.tidemark.broker.control;

import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** What is said of a broker that is not registered, and what to do. */
final class RegistrationTrouble {
  private RegistrationTrouble() {}

  static String refused(int brokerId, Errors error) {
    return "the controller refused to register broker %d: %s (%s); its log says more"
        .formatted(brokerId, error.message(), error);
  }

  static String duplicate(int brokerId) {
    return "another process with other data folders is broker %d of this cluster, or was until a moment ago; if that one is to go on, give this one a node.id of its own"
        .formatted(brokerId);
  }

  /** {@code last} is what was the matter last. */
  static String late(int brokerId, int timeoutMs, @Nullable String last) {
    return "broker %d was not registered within %d ms (initial.broker.registration.timeout.ms): %s"
        .formatted(
            brokerId,
            timeoutMs,
            last == null
                ? "no active controller is known; are a majority of the controllers running, and is controller.quorum.bootstrap.servers right?"
                : last);
  }
}
