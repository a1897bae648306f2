package dev.tidemark.differential;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A plain connection that sends and receives frames. */
final class WireConnection implements AutoCloseable {
  private static final int ANSWER_TIMEOUT_MS = 20_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final DataOutputStream out;

  WireConnection(int port) throws IOException {
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_TIMEOUT_MS);
    socket.setSoTimeout(ANSWER_TIMEOUT_MS);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  void send(ByteBuffer frame) throws IOException {
    byte[] all = new byte[4 + frame.remaining()];
    ByteBuffer.wrap(all).putInt(frame.remaining()).put(frame);
    out.write(all);
    out.flush();
  }

  /** The next frame; empty when the broker has closed the connection. */
  Optional<ByteBuffer> receive() throws IOException {
    try {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      return Optional.of(ByteBuffer.wrap(frame));
    } catch (EOFException | SocketException e) {
      return Optional.empty(); // closed in order, or with bytes that were not read
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
