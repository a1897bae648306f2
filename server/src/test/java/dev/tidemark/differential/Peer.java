package dev.tidemark.differential;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A broker as a process.
 *
 * @param port where it listens, on 127.0.0.1
 * @param log what it printed
 */
record Peer(String name, Process process, int port, Path log) implements AutoCloseable {
  private static final int STOP_SECONDS = 20;

  static Peer start(String name, ProcessBuilder builder, Path folder, int port) throws IOException {
    Path log = folder.resolve("log");
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    return new Peer(name, builder.start(), port, log);
  }

  /** A port that was free a moment ago. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Waits until it takes connections. */
  Peer awaitListening(long timeoutMs) throws IOException, InterruptedException {
    long giveUpNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (true) {
      try {
        new WireConnection(port).close();
        return this;
      } catch (IOException e) {
        boolean ended = process.waitFor(50, TimeUnit.MILLISECONDS);
        if (ended || System.nanoTime() > giveUpNs) {
          throw new IOException(name + " does not listen: " + Files.readString(log), e);
        }
      }
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
