package dev.tidemark.process;

import java.util.ArrayList;
import java.util.List;

/** Runs one of Apache Kafka's own command line tools in a JVM of its own. */
final class KafkaTool {
  private KafkaTool() {}

  static Ran run(String input, String tool, String... args) throws Exception {
    return Ran.of(builder(tool, args), input).requireSuccess();
  }

  /** For one that does not end by itself. */
  static ProcessBuilder builder(String tool, String... args) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home", "") + "/bin/java");
    command.add("-Xmx256m");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(System.getProperty("java.class.path", ""));
    command.add("org.apache.kafka.tools." + tool);
    command.addAll(List.of(args));
    return new ProcessBuilder(command);
  }
}
