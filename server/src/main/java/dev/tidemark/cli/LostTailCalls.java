package dev.tidemark.cli;

import dev.tidemark.protocol.LostTailField.Answer;
import dev.tidemark.protocol.LostTailField.Call;
import dev.tidemark.replica.LostTailEntry;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;

/**
 * Asks brokers for their lost tails. Kafka's client has no call for that, so each question goes
 * over a connection of its own.
 */
final class LostTailCalls {
  private static final String CLIENT_ID = "tidemark-cli";
  private static final int CONNECT_TIMEOUT_MS = 3_000;
  private static final int ANSWER_TIMEOUT_MS = 10_000;
  private static final int MAX_ANSWER_BYTES = 64 << 20;

  /** Arbitrary; each connection has one question. */
  private static final int CORRELATION_ID = 0x7a11;

  private LostTailCalls() {}

  /** Those a broker lists, and how many there are. */
  record Listed(List<LostTailEntry> entries, int count) {}

  /** The brokers, by id; those that are fenced cannot be asked. */
  static List<Node> brokers(Admin admin) throws CommandFailure, InterruptedException {
    Collection<Node> nodes =
        AdminCommand.await(
            admin.describeCluster(new DescribeClusterOptions().includeFencedBrokers(true)).nodes());
    return nodes.stream().sorted(Comparator.comparingInt(Node::id)).toList();
  }

  /** The broker that lists it. */
  static Node broker(Admin admin, LostTailId id) throws CommandFailure, InterruptedException {
    Brokers.requireAll(admin, List.of(id.broker()));
    for (Node node : brokers(admin)) {
      if (node.id() == id.broker() && !node.isFenced()) {
        return node;
      }
    }
    throw CommandFailure.failed("broker " + id.broker() + " has just gone; try again");
  }

  /** What one broker lists, of one topic or of all. */
  static Listed list(Node broker, @Nullable String topic) throws CommandFailure {
    String text = ask(broker, Call.READ, topic == null ? "list" : "list " + topic).text();
    List<String> lines = text.lines().toList();
    List<LostTailEntry> entries = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      entries.add(LostTailEntry.parse(line));
    }
    return new Listed(entries, Integer.parseInt(lines.get(0)));
  }

  /** The batches that are kept of one. */
  static ByteBuffer read(Node broker, LostTailId id) throws CommandFailure {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (true) {
      ByteBuffer part = ask(broker, Call.READ, "read " + words(id) + " " + all.size()).content();
      if (!part.hasRemaining()) {
        return ByteBuffer.wrap(all.toByteArray());
      }
      all.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
    }
  }

  /** Has its broker forget one. */
  static void drop(Node broker, LostTailId id) throws CommandFailure {
    Answer unused = ask(broker, Call.CHANGE, "drop " + words(id));
  }

  private static String words(LostTailId id) {
    return id.topic() + " " + id.partition() + " " + id.name();
  }

  private static Answer ask(Node broker, Call call, String question) throws CommandFailure {
    Answer answer;
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(broker.host(), broker.port()), CONNECT_TIMEOUT_MS);
      socket.setSoTimeout(ANSWER_TIMEOUT_MS);
      ByteBuffer frame = call.frame(question, CLIENT_ID, CORRELATION_ID);
      socket.getOutputStream().write(frame.array(), frame.arrayOffset(), frame.remaining());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      int bytes = in.readInt();
      if (bytes < 0 || bytes > MAX_ANSWER_BYTES) {
        throw new IOException("it answers with " + bytes + " bytes");
      }
      byte[] told = new byte[bytes];
      in.readFully(told);
      answer = call.answer(ByteBuffer.wrap(told));
    } catch (EOFException e) {
      throw cannotBeAsked(broker, "it closed the connection; see its log", e);
    } catch (SocketTimeoutException e) {
      throw cannotBeAsked(broker, "it did not answer in time; see its log", e);
    } catch (IOException e) {
      throw cannotBeAsked(broker, FailureText.of(e), e);
    }
    if (answer == null) {
      throw CommandFailure.failed(
          "broker " + broker.id() + " knows no lost tails: it is of another release or make");
    }
    if (!answer.done()) {
      throw CommandFailure.failed(answer.text());
    }
    return answer;
  }

  private static CommandFailure cannotBeAsked(Node broker, String why, IOException cause) {
    return CommandFailure.failed(
        "broker %d at %s:%d cannot be asked for lost tails: %s"
            .formatted(broker.id(), broker.host(), broker.port(), why),
        cause);
  }
}
