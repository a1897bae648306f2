package dev.tidemark.server.http;

import dev.tidemark.broker.metrics.MetricVisitor;
import java.util.Optional;

/** What the HTTP endpoint asks the broker's process. Called on the endpoint's own threads. */
public interface BrokerProbe {
  /** Why the process cannot go on and should be restarted; empty when it lives. */
  Optional<String> whyDead() throws InterruptedException;

  /** Why clients are not served (yet, or any more); empty when they are. */
  Optional<String> whyNotReady() throws InterruptedException;

  /** Tells {@code text} all metrics of the broker; false if it does not answer. */
  boolean collect(MetricVisitor text) throws InterruptedException;
}
