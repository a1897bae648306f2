package dev.tidemark.differential;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Where our answers are meant to differ: an entry of {@code src/test/differential/differences}.
 * Steps and fields are patterns with {@code *}, separated by spaces.
 *
 * @param where what a reader of the documentation is told it is about
 * @param kafka what Kafka answers, for that reader
 * @param tidemark what we answer
 * @param why the reason
 */
record IntendedDifference(
    String where,
    List<Pattern> steps,
    List<Pattern> fields,
    String kafka,
    String tidemark,
    String why) {

  boolean covers(Comparison.Mismatch mismatch) {
    return matches(steps, mismatch.step()) && matches(fields, mismatch.field());
  }

  private static boolean matches(List<Pattern> patterns, String text) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(text).matches());
  }

  static List<IntendedDifference> load() throws IOException {
    List<IntendedDifference> all = new ArrayList<>();
    Map<String, String> entry = new TreeMap<>();
    for (String line : Files.readAllLines(Script.FOLDER.resolve("differences"))) {
      if (line.startsWith("#")) {
        continue;
      }
      if (line.isBlank()) {
        addIfAny(all, entry);
        entry.clear();
      } else {
        String[] sides = line.split(":", 2);
        if (sides.length != 2 || entry.put(sides[0].strip(), sides[1].strip()) != null) {
          throw new IllegalArgumentException("differences: not understood: " + line);
        }
      }
    }
    addIfAny(all, entry);
    return all;
  }

  private static void addIfAny(List<IntendedDifference> all, Map<String, String> entry) {
    if (!entry.isEmpty()) {
      all.add(
          new IntendedDifference(
              required(entry, "where"),
              patterns(required(entry, "steps")),
              patterns(required(entry, "fields")),
              required(entry, "kafka"),
              required(entry, "tidemark"),
              required(entry, "why")));
    }
  }

  private static String required(Map<String, String> entry, String key) {
    String value = entry.get(key);
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException("differences: " + entry + " has no " + key);
    }
    return value;
  }

  private static List<Pattern> patterns(String globs) {
    List<Pattern> patterns = new ArrayList<>();
    for (String glob : globs.split("\\s+", -1)) {
      patterns.add(Pattern.compile(Pattern.quote(glob).replace("*", "\\E.*\\Q")));
    }
    return patterns;
  }
}
