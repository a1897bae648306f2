package dev.tidemark.metadata;

import dev.tidemark.env.Timers;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.metadata.BrokerRegistration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a broker that went quiet is dead. A broken connection alone proves nothing; a
 * listener that refuses twice, {@link #PAUSE_MS} apart, does, because a broker closes it only after
 * it has given up its lease. Everything else leaves the broker to its session.
 */
final class FencingProbes {
  /** Between the two attempts; a listener that is being opened anew refuses for a moment. */
  static final long PAUSE_MS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(FencingProbes.class);

  private final BrokerProbe probe;
  private final Timers timers;
  private final Listener listener;
  private final Map<Integer, Long> running = new HashMap<>();

  /** Hears of what is proven. */
  @FunctionalInterface
  interface Listener {
    void onDead(int brokerId, long brokerEpoch);
  }

  FencingProbes(BrokerProbe probe, Timers timers, Listener listener) {
    this.probe = probe;
    this.timers = timers;
    this.listener = listener;
  }

  /** Begins to ask, unless this run of the broker is being asked already. */
  void begin(BrokerRegistration broker) {
    Long asked = running.put(broker.id(), broker.epoch());
    if (asked == null || asked != broker.epoch()) {
      probe.probe(broker, outcome -> onFirst(broker, outcome));
    }
  }

  private void onFirst(BrokerRegistration broker, BrokerProbe.Outcome outcome) {
    if (isRefused(broker, outcome)) {
      timers.schedule(PAUSE_MS, () -> probe.probe(broker, again -> onSecond(broker, again)));
    }
  }

  private void onSecond(BrokerRegistration broker, BrokerProbe.Outcome outcome) {
    if (isRefused(broker, outcome)) {
      running.remove(broker.id());
      LOG.warn("Broker {} refuses connections: no process serves there", broker.id());
      listener.onDead(broker.id(), broker.epoch());
    }
  }

  /** An answer about a run that is not asked about any more counts for nothing. */
  private boolean isRefused(BrokerRegistration broker, BrokerProbe.Outcome outcome) {
    Long asked = running.get(broker.id());
    if (asked == null || asked != broker.epoch()) {
      return false;
    }
    if (outcome != BrokerProbe.Outcome.REFUSED) {
      running.remove(broker.id());
      return false;
    }
    return true;
  }

  /** This node does not decide any more, or begins to. */
  void forgetAll() {
    running.clear();
  }
}
