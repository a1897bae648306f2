package dev.tidemark.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a node that tells when an answer left it, as closely as can be told from here.
 */
final class TimedConnection implements AutoCloseable {
  private static final int WAIT_MS = 20;
  private static final int LENGTH_BYTES = 4;

  private final Socket socket;

  TimedConnection(String address) throws IOException {
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(WAIT_MS);
  }

  /**
   * An answer.
   *
   * @param notBeforeNs at that moment nothing of it was there
   * @param receivedNs at that moment all of it was
   */
  record Answer(ByteBuffer frame, long notBeforeNs, long receivedNs) {}

  /** Waits for the answer as long as it takes; null if it was told to stop before. */
  @Nullable Answer call(ByteBuffer request, BooleanSupplier stopped) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(LENGTH_BYTES + request.remaining());
    frame.putInt(request.remaining()).put(request);
    long notBeforeNs = System.nanoTime();
    socket.getOutputStream().write(frame.array());
    ByteBuffer answer = ByteBuffer.allocate(LENGTH_BYTES);
    boolean hasLength = false;
    while (answer.hasRemaining()) {
      long askedNs = System.nanoTime();
      int read = read(answer);
      if (read < 0) {
        throw new IOException("the node has closed the connection");
      }
      if (read == 0) {
        if (stopped.getAsBoolean()) {
          return null;
        }
        if (!hasLength && answer.position() == 0) {
          // On loopback what is sent is there: nothing had been sent when the wait ended.
          notBeforeNs = askedNs + TimeUnit.MILLISECONDS.toNanos(WAIT_MS - 1);
        }
      }
      if (!answer.hasRemaining() && !hasLength) {
        hasLength = true;
        answer = ByteBuffer.allocate(answer.getInt(0));
      }
    }
    return new Answer(answer.flip(), notBeforeNs, System.nanoTime());
  }

  /** How many bytes; 0 when none have come for a while. */
  private int read(ByteBuffer into) throws IOException {
    try {
      byte[] bytes = new byte[into.remaining()];
      int read = socket.getInputStream().read(bytes);
      if (read > 0) {
        into.put(bytes, 0, read);
      }
      return read;
    } catch (SocketTimeoutException e) {
      return 0;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
