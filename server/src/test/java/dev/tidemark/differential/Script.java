package dev.tidemark.differential;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Reads the request list: the files of {@code src/test/differential/requests} in the order of their
 * names. A request is a line {@code name Api/versions body}; lines that begin with spaces carry the
 * body on, lines that begin with {@code >} say what to do with the answer:
 *
 * <pre>
 * topic-twice CreateTopics/2-7 {topics: [{name: 't${version}', numPartitions: 1, replicationFactor: 1}]}
 * topic-known Metadata/13 {topics: [{name: 't7'}]}
 *   > until errorCode = 0                  everywhere in the answer
 *   > until /topics/0/isInternal = false   at one place
 *   > until t7:isInternal = false          in the object with that name
 *   > let id = /topics/0/topicId
 *   > on second            another connection than main
 *   > later                the answer is read before the next request on that connection
 *   > silent               there is no answer
 * beyond Metadata!/99 {hex: '00'}
 * </pre>
 *
 * Versions are one, a range, or {@code *} for all that Kafka's client knows. An {@code !} after the
 * API's name or number sends any version with any bytes. {@code ${version}} and the variables that
 * {@code let} sets stand in bodies.
 */
final class Script {
  static final Path FOLDER = Path.of("src/test/differential");
  private static final Pattern HEAD =
      Pattern.compile("([\\w.-]+)\\s+(\\w+)(!?)/(\\*|\\d+(?:-\\d+)?)\\s*(.*)");

  private final List<Step> steps = new ArrayList<>();
  private final Set<String> names = new HashSet<>();

  private Script() {}

  static List<Step> load() throws IOException {
    Script script = new Script();
    try (var files = Files.list(FOLDER.resolve("requests"))) {
      for (Path file : files.sorted().toList()) {
        script.read(file);
      }
    }
    return List.copyOf(script.steps);
  }

  private void read(Path file) throws IOException {
    Entry entry = null;
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      String text = line.strip();
      String where = file.getFileName() + ":" + number;
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      if (!line.startsWith(" ")) {
        add(entry);
        Matcher head = HEAD.matcher(text);
        require(head.matches(), where, text);
        entry = new Entry(where, head);
      } else {
        require(entry != null, where, text);
        if (text.startsWith(">")) {
          entry.direct(where, text.substring(1).strip());
        } else {
          entry.body.append(' ').append(text);
        }
      }
    }
    add(entry);
  }

  private void add(Entry entry) {
    if (entry == null) {
      return;
    }
    for (Step step : entry.steps()) {
      require(names.add(step.name()), entry.where, "there are two steps " + step.name());
      steps.add(step);
    }
  }

  private static void require(boolean condition, String where, String text) {
    if (!condition) {
      throw new IllegalArgumentException(where + " is not understood: " + text);
    }
  }

  /** A request being read. */
  private static final class Entry {
    private final String where;
    private final String name;
    private final String api;
    private final boolean raw;
    private final String versions;
    private final StringBuilder body;
    private String connection = "main";
    private Step.Answer answer = Step.Answer.NOW;
    private final List<Step.Capture> captures = new ArrayList<>();
    private final List<Step.Condition> until = new ArrayList<>();

    Entry(String where, Matcher head) {
      this.where = where;
      this.name = head.group(1);
      this.api = head.group(2);
      this.raw = !head.group(3).isEmpty();
      this.versions = head.group(4);
      this.body = new StringBuilder(head.group(5));
    }

    void direct(String at, String text) {
      String[] words = text.split("\\s+", 2);
      String rest = words.length == 1 ? "" : words[1].strip();
      switch (words[0]) {
        case "let" -> {
          String[] sides = sides(at, rest);
          captures.add(new Step.Capture(sides[0], sides[1]));
        }
        case "until" -> {
          String[] sides = sides(at, rest);
          until.add(new Step.Condition(sides[0], sides[1]));
        }
        case "on" -> connection = rest;
        case "later" -> answer = Step.Answer.LATER;
        case "silent" -> answer = Step.Answer.NONE;
        default -> require(false, at, text);
      }
    }

    private static String[] sides(String at, String text) {
      String[] sides = text.split("=", 2);
      require(sides.length == 2, at, text);
      return new String[] {sides[0].strip(), sides[1].strip()};
    }

    List<Step> steps() {
      List<Step> all = new ArrayList<>();
      int first;
      int last;
      if (versions.equals("*")) {
        ApiKeys key = MessageJson.api(api);
        first = key.oldestVersion();
        last = key.latestVersion(false);
      } else {
        String[] ends = versions.split("-", -1);
        first = Integer.parseInt(ends[0]);
        last = Integer.parseInt(ends[ends.length - 1]);
      }
      for (int version = first; version <= last; version++) {
        all.add(step(version, first == last ? name : name + ".v" + version));
      }
      return all;
    }

    private Step step(int version, String stepName) {
      String text = body.toString().replace("${version}", String.valueOf(version));
      return new Step(
          stepName,
          api,
          (short) version,
          raw,
          text.isBlank() ? "{}" : text,
          connection,
          answer,
          List.copyOf(captures),
          List.copyOf(until));
    }
  }
}
