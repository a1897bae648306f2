package dev.tidemark.metadata;

import java.util.function.Consumer;
import org.apache.kafka.metadata.BrokerRegistration;

/**
 * Asks the network whether a process serves at a broker's address. Used on the control shard only.
 */
@FunctionalInterface
public interface BrokerProbe {
  /**
   * Tries to connect to the broker's inter-broker listener and closes the connection again. {@code
   * whenDone} is called exactly once, on the control shard, possibly before this method returns.
   */
  void probe(BrokerRegistration broker, Consumer<Outcome> whenDone);

  /** How the attempt ended. */
  enum Outcome {
    /** The host is there and said that nothing listens at the port. */
    REFUSED,
    /** Something accepted the connection, or nothing is known: a time-out, no route. */
    UNCLEAR
  }

  /** For where a refusal proves nothing: behind a proxy, NAT or firewall. */
  static BrokerProbe none() {
    return (broker, whenDone) -> whenDone.accept(Outcome.UNCLEAR);
  }
}
