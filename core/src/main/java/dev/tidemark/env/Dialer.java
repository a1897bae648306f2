package dev.tidemark.env;

/**
 * Opens connections to other nodes. Used on one shard only, which also hears all that comes of it.
 */
public interface Dialer {
  /**
   * Connects to a port of a host. Exactly one method of {@code attempt} is called, after this call
   * has returned.
   *
   * @param host a name or an address
   * @param timeoutMs how long to wait for an outcome, at least 1
   */
  void connect(String host, int port, long timeoutMs, Attempt attempt);

  /** What becomes of it. */
  interface Attempt {
    /** It stands; returns who hears of it. */
    Connection.Listener onConnected(Connection connection);

    /** The host answered that no process serves that port. */
    void onRefused();

    /** Nothing is known of the port: the host is unknown, unreachable, or silent. */
    void onUnreachable(String why);
  }
}
