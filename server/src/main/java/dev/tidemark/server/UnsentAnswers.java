package dev.tidemark.server;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answers in memory that peers do not take. Each connection is bounded by itself, since one
 * that leaves much unread is not read from; all together are bounded here: above the limit the peer
 * that took nothing for longest is given up. Slices of files are no memory and do not count. Used
 * on the shard only.
 */
final class UnsentAnswers {
  /** A third of what the shipped sizes leave for direct memory beside the frames of requests. */
  static final long DEFAULT_MAX_BYTES = 48L << 20;

  private final long maxBytes;
  private final Map<NettyConnection, Long> unsent = new LinkedHashMap<>(); // longest idle first
  private long allBytes;

  UnsentAnswers(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  long bytes() {
    return allBytes;
  }

  /** So much of this connection's answers waits in memory now. */
  void update(NettyConnection connection, long bytes) {
    if (bytes == 0) { // all has left, or slices of files alone
      forget(connection);
      return;
    }
    Long before = unsent.put(connection, bytes);
    allBytes += bytes - (before == null ? 0 : before);
    while (allBytes > maxBytes && unsent.size() > 1) {
      giveUpOrCredit(unsent.keySet().iterator().next());
    }
  }

  /** A peer may have taken a part of what waits, of which nobody tells: that is looked up here. */
  private void giveUpOrCredit(NettyConnection slowest) {
    long known = unsent.getOrDefault(slowest, 0L);
    long waiting = slowest.unsentBytesInMemory();
    forget(slowest);
    if (waiting < known) {
      update(slowest, waiting);
    } else {
      slowest.endForNotReading();
    }
  }

  /** The peer has taken something. */
  void onProgress(NettyConnection connection) {
    Long bytes = unsent.remove(connection);
    if (bytes != null) {
      unsent.put(connection, bytes);
    }
  }

  /** Nothing of this connection's waits any more. */
  void forget(NettyConnection connection) {
    Long bytes = unsent.remove(connection);
    if (bytes != null) {
      allBytes -= bytes;
    }
  }
}
