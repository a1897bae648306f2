package dev.tidemark.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Replaces in a broker's answers what differs from broker to broker. Ids become the number in which
 * they came up, so that the same id in two places is still seen to be the same.
 */
final class Masking {
  private static final Set<String> IDS =
      Set.of(
          "memberId",
          "leader",
          "clusterId",
          "producerId",
          "sessionId",
          "leaderDirectoryId",
          "replicaDirectoryId",
          "directoryId",
          "controllerId");

  private static final Set<String> NO_IDS = Set.of("", "-1", "0", "AAAAAAAAAAAAAAAAAAAAAA");

  /** Texts that are addresses, or that each broker words in its own way. */
  private static final Set<String> TEXTS =
      Set.of(
          "errorMessage",
          "batchIndexErrorMessage",
          "host",
          "clientHost",
          "clientId",
          "documentation");

  private static final Set<String> NUMBERS = Set.of("port", "finalizedFeaturesEpoch");

  /** Later than this is a time of today, not one that the script chose. */
  private static final long OLD_MS = 1_700_000_000_000L;

  private final Map<String, Map<String, Integer>> ids = new HashMap<>();
  private final Map<String, String> topics = new HashMap<>();

  /** The answers of one broker, masked; in their order, because ids are numbered. */
  static Map<String, JsonNode> mask(Map<String, JsonNode> answers) {
    Masking masking = new Masking();
    answers.values().forEach(masking::learnTopics);
    Map<String, JsonNode> masked = new TreeMap<>();
    answers.forEach((step, answer) -> masked.put(step, masking.masked("", answer.deepCopy())));
    return masked;
  }

  /** A topic's id is told by its name; one that was deleted and created again has several. */
  private void learnTopics(JsonNode node) {
    JsonNode name = node.path("name");
    String id = node.path("topicId").asText();
    if (name.isTextual() && !NO_IDS.contains(id) && !topics.containsKey(id)) {
      String known = "<id of " + name.asText();
      long others = topics.values().stream().filter(other -> other.startsWith(known)).count();
      topics.put(id, known + " " + (others + 1) + ">");
    }
    node.forEach(this::learnTopics);
  }

  private JsonNode masked(String field, JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> entry : object.properties()) {
        entry.setValue(masked(entry.getKey(), entry.getValue()));
      }
      maskMessage(object);
      return object;
    }
    if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, masked(field, array.get(i)));
      }
      return array;
    }
    return maskedValue(field, node);
  }

  /** Whoever refuses says why in its own words, or not at all; no words are as good as none. */
  private static void maskMessage(ObjectNode object) {
    if (object.has("errorMessage")) {
      if (object.path("errorCode").asInt() != 0) {
        object.put("errorMessage", "<text>");
      } else if (object.path("errorMessage").asText().isEmpty()) {
        object.putNull("errorMessage");
      }
    }
  }

  private JsonNode maskedValue(String field, JsonNode value) {
    String text = value.asText();
    if (value.isNull()) {
      return value;
    }
    if (field.equals("topicId")) {
      return TextNode.valueOf(topics.getOrDefault(text, text));
    }
    if (IDS.contains(field)) {
      return NO_IDS.contains(text)
          ? value
          : TextNode.valueOf("<" + field + " " + number(field, text) + ">");
    }
    if (TEXTS.contains(field)) {
      return text.isEmpty() ? value : TextNode.valueOf("<text>");
    }
    if (NUMBERS.contains(field) && value.asInt() > 0) {
      return TextNode.valueOf("<number>");
    }
    if (value.isNumber() && value.asLong() > OLD_MS && value.asLong() < 2 * OLD_MS) {
      return TextNode.valueOf("<time>");
    }
    return value;
  }

  private int number(String field, String id) {
    Map<String, Integer> known = ids.computeIfAbsent(field, name -> new HashMap<>());
    return known.computeIfAbsent(id, name -> known.size() + 1);
  }
}
