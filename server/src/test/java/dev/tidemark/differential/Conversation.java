package dev.tidemark.differential;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** Runs the script against one broker and keeps its answers. Used by one thread. */
final class Conversation implements AutoCloseable {
  /** How long a broker has to get where the script waits for it. */
  private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(5);

  private final int port;
  private final Map<String, Line> lines = new LinkedHashMap<>();
  private final Map<String, String> variables = new HashMap<>();
  private final Map<String, JsonNode> answers = new LinkedHashMap<>();
  private int correlationId;

  Conversation(int port) {
    this.port = port;
  }

  /** A connection with the requests whose answers are to be read yet. */
  private record Line(WireConnection wire, ArrayDeque<Sent> waiting) {}

  private record Sent(Step step, RequestHeader header) {}

  /** The answers by step, in the order of the script. */
  Map<String, JsonNode> run(List<Step> script) throws IOException {
    for (Step step : script) {
      try {
        run(step);
      } catch (IOException | RuntimeException e) {
        throw new IOException("step " + step.name() + ": " + e, e);
      }
    }
    for (String name : List.copyOf(lines.keySet())) {
      readWaiting(name);
    }
    return answers;
  }

  private void run(Step step) throws IOException {
    long giveUpNs = System.nanoTime() + SETTLE_NS;
    JsonNode answer = ask(step);
    while (!holds(step, answer)) {
      if (System.nanoTime() > giveUpNs) {
        throw new IOException("the broker did not get there: " + answer);
      }
      answer = ask(step); // the broker bounds the rate
    }
  }

  private static boolean holds(Step step, JsonNode answer) {
    for (Step.Condition condition : step.until()) {
      boolean met = holds(condition.where(), condition.value(), answer);
      if (!met) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(String where, String value, JsonNode answer) {
    if (where.startsWith("/")) {
      return answer.at(where).asText().equals(value);
    }
    int colon = where.indexOf(':');
    if (colon < 0) {
      return answer.findValuesAsText(where).stream().allMatch(value::equals);
    }
    String name = where.substring(0, colon);
    String field = where.substring(colon + 1);
    return answer.findParents("name").stream()
        .filter(one -> one.get("name").asText().equals(name) && one.has(field))
        .map(one -> one.get(field).asText())
        .findFirst()
        .orElse("")
        .equals(value);
  }

  private JsonNode ask(Step step) throws IOException {
    readWaiting(step.connection());
    Line line = lines.get(step.connection());
    if (line == null) {
      line = new Line(new WireConnection(port), new ArrayDeque<>());
      lines.put(step.connection(), line);
    }
    String body = ScriptFrames.filledIn(step.body(), variables);
    RequestHeader header = StepFrame.header(step, ++correlationId);
    try {
      line.wire.send(StepFrame.of(step, header, body));
    } catch (java.net.SocketException e) {
      // Closed meanwhile: reading tells.
    }
    if (step.answer() != Step.Answer.NONE) {
      line.waiting.add(new Sent(step, header));
    }
    if (step.answer() == Step.Answer.NOW) {
      readWaiting(step.connection());
      return answers.get(step.name());
    }
    return MessageJson.object();
  }

  private void readWaiting(String connection) throws IOException {
    Line line = lines.get(connection);
    while (line != null && !line.waiting.isEmpty()) {
      Sent sent = line.waiting.remove();
      JsonNode answer = read(line, sent);
      answers.put(sent.step.name(), answer);
      if (answer.has("connection")) {
        line.wire.close();
        lines.remove(connection);
      }
      for (Step.Capture capture : sent.step.captures()) {
        variables.put(capture.variable(), answer.at(capture.pointer()).asText());
      }
    }
  }

  private static JsonNode read(Line line, Sent sent) throws IOException {
    Optional<ByteBuffer> frame;
    try {
      frame = line.wire.receive();
    } catch (SocketTimeoutException e) {
      return MessageJson.object().put("connection", "silent");
    }
    if (frame.isEmpty()) {
      return MessageJson.object().put("connection", "closed");
    }
    if (sent.step.raw()) {
      return MessageJson.object().put("answer", "some");
    }
    AbstractResponse response = AbstractResponse.parseResponse(frame.get(), sent.header);
    return MessageJson.response(response.data(), sent.step.version());
  }

  @Override
  public void close() throws IOException {
    for (Line line : new ArrayList<>(lines.values())) {
      line.wire.close();
    }
  }
}
