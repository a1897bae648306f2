package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Whether clients can work with a cluster is known from one of its brokers that lives. */
class BrokerGreetingTest {
  private static final int TIMEOUT_MS = 30_000;
  private static final int NOBODY = 1; // no port of a test's

  /** The answer to Metadata that names brokers of this machine by their ports. */
  private static byte[] brokers(int... ports) {
    byte[] host = "127.0.0.1".getBytes(UTF_8);
    byte[] bytes = new byte[4 + ports.length * (4 + 2 + host.length + 4 + 2)];
    ByteBuffer answer = ByteBuffer.wrap(bytes);
    answer.putInt(ports.length);
    for (int i = 0; i < ports.length; i++) {
      answer.putInt(i + 1).putShort((short) host.length).put(host).putInt(ports[i]);
      answer.putShort((short) -1); // no rack
    }
    return bytes;
  }

  /** Answers ApiVersions with nothing, then Metadata with what is given. */
  private static void serve(ServerSocket server, byte[] metadata) {
    try (Socket socket = server.accept()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      for (byte[] body : new byte[][] {new byte[0], metadata}) {
        byte[] request = new byte[in.readInt()];
        in.readFully(request);
        out.writeInt(4 + body.length);
        out.writeInt(ByteBuffer.wrap(request).getInt(4)); // its correlation id
        out.write(body);
        out.flush();
      }
    } catch (IOException e) {
      // The greeting has ended.
    }
  }

  private static void greet(ServerSocket server, byte[] metadata) throws Exception {
    server.setSoTimeout(TIMEOUT_MS);
    Thread serving = new Thread(() -> serve(server, metadata), "broker");
    serving.start();
    try {
      BrokerGreeting.exchange(new ServerAddress("127.0.0.1", server.getLocalPort()), false, true);
    } finally {
      serving.join();
    }
  }

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  @Test
  void theOneThatIsLeftIsEnoughWhereverItStandsAmongThoseThatDied() throws Exception {
    try (ServerSocket server = listen()) {
      byte[] told = brokers(NOBODY, NOBODY, NOBODY, server.getLocalPort());
      assertThatCode(() -> greet(server, told)).doesNotThrowAnyException();
    }
    try (ServerSocket server = listen();
        ServerSocket other = listen()) {
      byte[] told = brokers(NOBODY, NOBODY, NOBODY, other.getLocalPort());
      assertThatCode(() -> greet(server, told)).doesNotThrowAnyException();
    }
  }

  @Test
  void allThatAreNotReachedAreNamed() throws Exception {
    try (ServerSocket server = listen()) {
      assertThat(catchThrowable(() -> greet(server, brokers(1, 2))))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContainingAll(
              "sends clients to 127.0.0.1:1 (", " and 127.0.0.1:2 (", "set advertised.listeners");
    }
  }

  @Test
  void anAnswerThatBreaksOffIsNoBrokers() throws Exception {
    try (ServerSocket server = listen()) {
      byte[] whole = brokers(1, 2);
      byte[] part = Arrays.copyOf(whole, whole.length - 9);
      assertThat(catchThrowable(() -> greet(server, part)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("does not speak Kafka's protocol");
    }
  }
}
