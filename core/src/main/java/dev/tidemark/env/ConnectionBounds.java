package dev.tidemark.env;

/**
 * How many connections the transport accepts; changed while it runs, on the data shard. Connections
 * that are there stay.
 */
public interface ConnectionBounds {
  /** Sets the number of connections in all, at least 0. */
  void maxConnections(int count);

  /** Sets the number of connections from one address, at least 0. */
  void maxConnectionsPerIp(int count);

  /** For a process without a transport. */
  static ConnectionBounds none() {
    return new ConnectionBounds() {
      @Override
      public void maxConnections(int count) {}

      @Override
      public void maxConnectionsPerIp(int count) {}
    };
  }
}
