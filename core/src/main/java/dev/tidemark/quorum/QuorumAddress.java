package dev.tidemark.quorum;

import java.net.InetSocketAddress;

/** Where a node of the quorum is called. */
public record QuorumAddress(String host, int port) {
  /** Without asking a name server: the transport does that when it connects. */
  InetSocketAddress unresolved() {
    return InetSocketAddress.createUnresolved(host, port);
  }
}
