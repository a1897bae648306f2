package dev.tidemark.broker;

import dev.tidemark.env.Dialer;
import dev.tidemark.env.Shard;

/**
 * How a node calls others.
 *
 * @param data on the data shard: brokers, and the active controller
 * @param control on the control shard: the other controllers
 */
public record NodeDialers(Dialer data, Dialer control) {
  /** For a node that is a whole cluster: there is nobody to call. */
  public static NodeDialers none(Shard data, Shard control) {
    return new NodeDialers(nobody(data), nobody(control));
  }

  private static Dialer nobody(Shard shard) {
    return (host, port, timeoutMs, attempt) ->
        shard.execute(() -> attempt.onUnreachable("this node has no network"));
  }
}
