package dev.tidemark.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.List;

/** One connection of a client that sends what it should not. */
final class FuzzPeer implements AutoCloseable {
  private static final int TIMEOUT_MS = 20_000;
  private static final int BUFFER_BYTES = 16 << 10;

  private final Socket socket;
  private final DataInputStream in;

  FuzzPeer(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MS);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
  }

  /** Sends one frame and reads its answer. */
  ByteBuffer ask(byte[] frame) throws IOException {
    send(List.of(frame));
    byte[] answer = new byte[in.readInt()];
    in.readFully(answer);
    return ByteBuffer.wrap(answer);
  }

  private void send(List<byte[]> frames) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (byte[] frame : frames) {
      out.writeInt(frame.length);
      out.write(frame);
    }
    socket.getOutputStream().write(bytes.toByteArray());
  }

  /**
   * Sends frames and the end of the stream, and waits until the broker ends its side too.
   *
   * @throws SocketTimeoutException when it neither answers nor closes
   */
  void sendToTheEnd(List<byte[]> frames) throws SocketTimeoutException {
    try {
      send(frames);
      socket.shutdownOutput();
      InputStream rest = socket.getInputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      int read = 0;
      while (read >= 0) {
        read = rest.read(buffer);
      }
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      return; // it closed the connection in the middle: that is an answer too
    }
  }

  /** True for an end that came from the broker, and not for want of an answer. */
  static boolean isEnd(IOException e) {
    return e instanceof EOFException || !(e instanceof SocketTimeoutException);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
