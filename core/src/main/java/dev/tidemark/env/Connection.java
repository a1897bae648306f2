package dev.tidemark.env;

import java.net.InetAddress;

/**
 * A peer that sends and receives frames. Used on one shard only. Frames leave in the order of the
 * calls. Not promised: that a frame that was sent arrives.
 */
public interface Connection {
  /** Unique among this broker's connections, in Kafka's form: local, remote and a counter. */
  String id();

  InetAddress remoteAddress();

  int remotePort();

  /** The listener it came in on, e.g. PLAINTEXT. */
  String listenerName();

  /**
   * Sends one frame: a 4-byte length prefix is NOT added, the parts are complete. Takes over the
   * parts: file slices are released by the connection, also when it is closed already.
   */
  void send(OutboundFrame frame);

  /** Stops (true) or resumes (false) reading from the peer; for back-pressure. */
  void pauseReading(boolean pause);

  /** Closes at once; what was not sent is dropped and released. */
  void close();

  /** Closes once all frames handed over before have been sent. */
  void closeAfterSending();

  /** Whom a transport asks for each new connection. */
  @FunctionalInterface
  interface Acceptor {
    /** Called on the connection's shard before anything is read from it. */
    Listener onConnected(Connection connection);
  }

  /** What the shard hears of a connection. */
  interface Listener {
    /**
     * One whole frame without its length prefix. The buffer belongs to the listener until it calls
     * {@code frame.release()}, exactly once, on the same shard.
     */
    void onFrame(Connection connection, InboundFrame frame);

    /** All frames sent so far have left for the peer: nothing of ours waits in memory. */
    void onDrained(Connection connection);

    /** The end, exactly once; no other call follows. */
    void onClosed(Connection connection);
  }
}
