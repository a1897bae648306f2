package dev.tidemark.broker;

import dev.tidemark.env.Connection;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.metadata.BrokerProbe;
import java.util.function.Consumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.metadata.BrokerRegistration;
import org.jspecify.annotations.Nullable;

/** Asks whether a process serves at a broker's inter-broker listener; on the control shard. */
final class ListenerProbe implements BrokerProbe {
  private static final long TIMEOUT_MS = 1_000;

  private final Dialer dialer;
  private final String interBrokerListener;

  /**
   * @param interBrokerListener empty on a node that is only a controller and was not told: any
   *     listener of the broker is asked
   */
  ListenerProbe(Dialer dialer, String interBrokerListener) {
    this.dialer = dialer;
    this.interBrokerListener = interBrokerListener;
  }

  @Override
  public void probe(BrokerRegistration broker, Consumer<Outcome> whenDone) {
    Node node = node(broker);
    if (node == null) {
      whenDone.accept(Outcome.UNCLEAR);
    } else {
      dialer.connect(node.host(), node.port(), TIMEOUT_MS, new Asked(whenDone));
    }
  }

  private @Nullable Node node(BrokerRegistration broker) {
    String name =
        broker.listeners().containsKey(interBrokerListener)
            ? interBrokerListener
            : broker.listeners().keySet().stream().sorted().findFirst().orElse("");
    return broker.node(name).orElse(null);
  }

  /** One attempt. */
  private record Asked(Consumer<Outcome> whenDone) implements Dialer.Attempt, Connection.Listener {
    @Override
    public Connection.Listener onConnected(Connection connection) {
      connection.close();
      whenDone.accept(Outcome.UNCLEAR);
      return this;
    }

    @Override
    public void onRefused() {
      whenDone.accept(Outcome.REFUSED);
    }

    @Override
    public void onUnreachable(String why) {
      whenDone.accept(Outcome.UNCLEAR);
    }

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      frame.release();
    }

    @Override
    public void onDrained(Connection connection) {}

    @Override
    public void onClosed(Connection connection) {}
  }
}
