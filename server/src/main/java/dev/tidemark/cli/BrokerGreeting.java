package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The first words with a server: whether somebody listens there, speaks Kafka's protocol, and sends
 * clients to addresses that can be reached from here. A Kafka client would try each of these for a
 * minute and tell nothing.
 */
final class BrokerGreeting {
  private static final int CONNECT_TIMEOUT_MS = 3_000;
  private static final int ANSWER_TIMEOUT_MS = 4_000;
  private static final int MAX_ANSWER_BYTES = 1 << 20;

  /** So long brokers are tried in all, of which each that is silent takes a connect's time. */
  private static final int REACH_TIMEOUT_MS = 2 * CONNECT_TIMEOUT_MS;

  private static final short METADATA = 3;
  private static final short METADATA_VERSION = 1;
  private static final short API_VERSIONS = 18;

  /** Arbitrary; an answer with another one is none. */
  private static final int CORRELATION_ID = 0x71de;

  private BrokerGreeting() {}

  /**
   * Returns when clients can work with this server.
   *
   * @param encrypted whether the server wants TLS: then only that somebody listens is looked at
   * @param anonymous whether it tells brokers' addresses without a login
   * @throws IOException why no broker answers, without the name of the server
   * @throws CommandFailure when a broker does, but clients could not use it
   */
  static void exchange(ServerAddress server, boolean encrypted, boolean anonymous)
      throws IOException, CommandFailure {
    try (Socket socket = connect(server)) {
      if (encrypted) {
        return;
      }
      ask(socket, API_VERSIONS, (short) 0, new byte[0]);
      if (anonymous) {
        byte[] noTopics = new byte[4];
        requireOneReachable(server, brokers(ask(socket, METADATA, METADATA_VERSION, noTopics)));
      }
    }
  }

  private static Socket connect(ServerAddress server) throws IOException {
    Socket socket = new Socket();
    try {
      InetSocketAddress address = new InetSocketAddress(server.host(), server.port());
      if (address.isUnresolved()) {
        throw new IOException("the name " + server.host() + " is unknown");
      }
      socket.connect(address, CONNECT_TIMEOUT_MS);
      socket.setSoTimeout(ANSWER_TIMEOUT_MS);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e instanceof UnknownHostException
          ? new IOException("the name " + server.host() + " is unknown", e)
          : e;
    }
  }

  /** The answer behind its correlation id. */
  private static ByteBuffer ask(Socket socket, short api, short version, byte[] body)
      throws IOException {
    try {
      byte[] client = "tidemark-cli".getBytes(UTF_8);
      ByteBuffer request = ByteBuffer.allocate(4 + 10 + client.length + body.length);
      request.putInt(request.capacity() - 4);
      request.putShort(api).putShort(version).putInt(CORRELATION_ID);
      request.putShort((short) client.length).put(client).put(body);
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.write(request.array());
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      int bytes = in.readInt();
      if (bytes < 4 || bytes > MAX_ANSWER_BYTES || in.readInt() != CORRELATION_ID) {
        throw noKafka("it answered something else");
      }
      byte[] answer = new byte[bytes - 4];
      in.readFully(answer);
      return ByteBuffer.wrap(answer);
    } catch (SocketTimeoutException e) {
      throw noKafka(
          "it said nothing for "
              + ANSWER_TIMEOUT_MS / 1000
              + " s, like a broker that still starts or hangs");
    } catch (EOFException e) {
      throw noKafka("it closed the connection, like a broker that wants encryption");
    }
  }

  private static IOException noKafka(String how) {
    return new IOException("what listens there does not speak Kafka's protocol: " + how);
  }

  private static List<ServerAddress> brokers(ByteBuffer answer) throws IOException {
    try {
      List<ServerAddress> brokers = new ArrayList<>();
      int count = answer.getInt();
      for (int i = 0; i < count; i++) {
        answer.getInt(); // its id
        String host = text(answer);
        brokers.add(new ServerAddress(host, answer.getInt()));
        text(answer); // its rack
      }
      return brokers;
    } catch (BufferUnderflowException e) {
      throw noKafka("it answered something else");
    }
  }

  private static String text(ByteBuffer answer) throws IOException {
    int bytes = answer.getShort();
    if (bytes > answer.remaining()) {
      throw noKafka("it answered something else");
    }
    byte[] text = new byte[Math.max(0, bytes)];
    answer.get(text);
    return new String(text, UTF_8);
  }

  /** Those that died lately are told of too, all but one where nobody is left who decides. */
  private static void requireOneReachable(ServerAddress server, List<ServerAddress> brokers)
      throws CommandFailure {
    long startedNs = System.nanoTime();
    List<String> unreached = new ArrayList<>();
    for (ServerAddress broker : itselfFirst(server, brokers)) {
      try {
        connect(broker).close();
        return;
      } catch (IOException e) {
        unreached.add(broker + " (" + FailureText.of(e) + ")");
      }
      if (System.nanoTime() - startedNs > TimeUnit.MILLISECONDS.toNanos(REACH_TIMEOUT_MS)) {
        break;
      }
    }
    if (!unreached.isEmpty()) {
      throw CommandFailure.failed(
          "the broker at "
              + server
              + " sends clients to "
              + String.join(" and ", unreached)
              + ", where nobody is reached from here: set advertised.listeners of that broker to an"
              + " address that can be");
    }
  }

  private static List<ServerAddress> itselfFirst(
      ServerAddress server, List<ServerAddress> brokers) {
    List<ServerAddress> sorted = new ArrayList<>(brokers);
    sorted.sort(Comparator.comparing(broker -> !broker.equals(server)));
    return sorted;
  }
}
