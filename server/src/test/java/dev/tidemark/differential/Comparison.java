package dev.tidemark.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.Errors;

/** Compares two answers field by field. */
final class Comparison {
  /** Fields that name the elements of an array, so that these need no common order. */
  private static final List<String> NAMES =
      List.of(
          "apiKey",
          "name",
          "topicName",
          "topic",
          "groupId",
          "resourceName",
          "resourceType",
          "feature",
          "partitionIndex",
          "partition",
          "partitionId",
          "index",
          "key",
          "nodeId",
          "brokerId",
          "replicaId",
          "producerId",
          "memberId",
          "topicId",
          "baseOffset");

  private final String step;
  private final List<Mismatch> mismatches = new ArrayList<>();

  private Comparison(String step) {
    this.step = step;
  }

  /**
   * A field that differs, or an element that only one of the two has.
   *
   * @param field named as in {@code topics[t].errorCode}
   */
  record Mismatch(String step, String field, String kafka, String tidemark) {
    @Override
    public String toString() {
      return "%s  %s  kafka: %s  tidemark: %s".formatted(step, field, kafka, tidemark);
    }
  }

  static List<Mismatch> of(String step, JsonNode kafka, JsonNode tidemark) {
    Comparison comparison = new Comparison(step);
    comparison.compare("", kafka, tidemark);
    return comparison.mismatches;
  }

  private void compare(String field, JsonNode kafka, JsonNode tidemark) {
    if (kafka.isObject() && tidemark.isObject()) {
      Set<String> names = new TreeSet<>();
      kafka.fieldNames().forEachRemaining(names::add);
      tidemark.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        String inner = field.isEmpty() ? name : field + "." + name;
        compare(inner, kafka.path(name), tidemark.path(name));
      }
    } else if (kafka.isArray() && tidemark.isArray()) {
      compareElements(field, kafka, tidemark);
    } else {
      String one = text(field, kafka);
      String other = text(field, tidemark);
      if (!one.equals(other)) {
        mismatches.add(new Mismatch(step, field, one, other));
      }
    }
  }

  private void compareElements(String field, JsonNode kafka, JsonNode tidemark) {
    boolean ordered = field.endsWith(".synonyms"); // the strongest comes first
    String naming = ordered ? null : naming(kafka, tidemark);
    Map<String, JsonNode> expected = byName(kafka, naming, ordered);
    Map<String, JsonNode> found = byName(tidemark, naming, ordered);
    Set<String> labels = new TreeSet<>(expected.keySet());
    labels.addAll(found.keySet());
    for (String label : labels) {
      compare(
          field + "[" + label + "]",
          expected.getOrDefault(label, MissingNode.getInstance()),
          found.getOrDefault(label, MissingNode.getInstance()));
    }
  }

  private static Map<String, JsonNode> byName(JsonNode array, String naming, boolean ordered) {
    List<JsonNode> sorted = new ArrayList<>();
    array.forEach(sorted::add);
    if (!ordered && naming == null && sorted.stream().allMatch(JsonNode::isObject)) {
      sorted.sort(Comparator.comparing(JsonNode::toString));
    }
    Map<String, JsonNode> elements = new LinkedHashMap<>();
    for (JsonNode element : sorted) {
      elements.put(naming == null ? "" + elements.size() : element.get(naming).asText(), element);
    }
    return elements;
  }

  /** The field whose values tell the elements apart in both arrays; null if there is none. */
  private static String naming(JsonNode kafka, JsonNode tidemark) {
    for (String name : NAMES) {
      if (names(name, kafka) && names(name, tidemark)) {
        return name;
      }
    }
    return null;
  }

  private static boolean names(String name, JsonNode array) {
    Set<String> values = new HashSet<>();
    for (JsonNode element : array) {
      if (!element.has(name) || !values.add(element.get(name).asText())) {
        return false;
      }
    }
    return true;
  }

  private static String text(String field, JsonNode value) {
    if (value.isMissingNode()) {
      return "absent";
    }
    if (field.endsWith("rrorCode") && value.canConvertToInt()) {
      return Errors.forCode((short) value.asInt()).name();
    }
    return value.isTextual() ? "'" + value.asText() + "'" : value.toString();
  }
}
