package dev.tidemark.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Ports of this machine that nobody uses. */
final class FreePorts {
  private FreePorts() {}

  private static final int ATTEMPTS = 100;

  /** Ports that follow one another. */
  static List<Integer> inARow(int count) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int first = take(1).get(0);
      List<Integer> ports = IntStream.range(first, first + count).boxed().toList();
      if (ports.stream().allMatch(FreePorts::isFree)) {
        return ports;
      }
    }
    throw new IOException("no " + count + " free ports in a row");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  static List<Integer> take(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }
}
