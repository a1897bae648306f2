package dev.tidemark.fault;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads a topic with kcat. Where that gives up, as it does when it reaches no broker, another one
 * begins anew.
 */
final class KcatReader {
  private final String bootstrap;
  private final List<String> arguments;
  private final List<Kcat> runs = new ArrayList<>();
  private final Map<Integer, TreeMap<Long, String>> seen = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();

  KcatReader(String bootstrap, String topic) throws IOException {
    this.bootstrap = bootstrap;
    this.arguments =
        List.of(
            "-C",
            "-t",
            topic,
            "-o",
            "beginning",
            "-u",
            "-q",
            "-f",
            "%p %o %k\\n",
            "-X",
            "auto.offset.reset=error");
    keepReading();
  }

  /** Begins anew if the last one has given up. */
  void keepReading() throws IOException {
    if (runs.isEmpty() || !runs.get(runs.size() - 1).isRunning()) {
      runs.add(new Kcat(bootstrap, arguments));
    }
  }

  /** Ends reading; then {@link #seen} and {@link #violations} can be asked. */
  void stop() throws IOException, InterruptedException {
    for (Kcat run : runs) {
      try (run) {
        if (run.isRunning()) {
          run.kill();
        } else if (!run.isExcused()) {
          violations.add("kcat gave up reading: " + run.errors());
        }
        take(run.lines());
      }
    }
  }

  private void take(List<String> lines) {
    Map<Integer, Long> next = new TreeMap<>();
    for (String line : lines) {
      String[] parts = line.split(" ", -1);
      int partition = Integer.parseInt(parts[0]);
      long offset = Long.parseLong(parts[1]);
      long expected = next.getOrDefault(partition, 0L);
      if (offset != expected) {
        violations.add(
            "kcat read offset %d of partition %d where %d comes next"
                .formatted(offset, partition, expected));
      }
      next.put(partition, offset + 1);
      String before = seen.computeIfAbsent(partition, key -> new TreeMap<>()).put(offset, parts[2]);
      if (before != null && !before.equals(parts[2])) {
        violations.add(
            "kcat read %s at offset %d of partition %d, then %s"
                .formatted(before, offset, partition, parts[2]));
      }
    }
  }

  int runs() {
    return runs.size();
  }

  /** What was read of a partition, by offset. */
  Map<Long, String> seen(int partition) {
    return seen.getOrDefault(partition, new TreeMap<>());
  }

  /** What must not have happened. */
  List<String> violations() {
    return violations;
  }
}
