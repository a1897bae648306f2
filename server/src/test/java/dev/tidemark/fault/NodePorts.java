package dev.tidemark.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * The ports of one node, on the loopback address.
 *
 * @param clients where clients and other brokers connect
 * @param controllers where the quorum connects
 */
record NodePorts(int clients, int controllers) {
  /** Ports that nobody used a moment ago, for so many nodes. */
  static List<NodePorts> free(int nodes) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    List<NodePorts> ports = new ArrayList<>();
    try {
      for (int i = 0; i < nodes; i++) {
        ports.add(new NodePorts(hold(held), hold(held)));
      }
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
    return ports;
  }

  private static int hold(List<ServerSocket> held) throws IOException {
    ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    held.add(socket);
    return socket.getLocalPort();
  }
}
