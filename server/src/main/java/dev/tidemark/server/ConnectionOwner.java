package dev.tidemark.server;

import dev.tidemark.env.Connection;
import org.jspecify.annotations.Nullable;

/** Where a connection comes from: a listener, or this node's own call. Used on the shard only. */
interface ConnectionOwner {
  /** The listener's name, as {@link Connection#listenerName}. */
  String name();

  ShardNetwork network();

  /** It stands; who hears of it, or null when it was closed at once. */
  Connection.@Nullable Listener accepted(NettyConnection connection);

  void closed(NettyConnection connection);
}
