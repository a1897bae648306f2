package dev.tidemark.cli;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark config describe}. */
@Command(name = "describe", description = "Prints settings, and where each comes from.")
final class ConfigDescribeCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();
  @Mixin ConfigTarget target = new ConfigTarget();

  @Option(names = "--all", description = "Also those that have their defaults.")
  boolean all;

  @Override
  void refuseMistakes() throws CommandFailure {
    target.refuseMistakes();
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    ConfigResource resource = target.resource(admin);
    Config config = await(admin.describeConfigs(List.of(resource)).all()).get(resource);
    if (config == null) {
      throw CommandFailure.failed("the broker did not answer for " + target.text());
    }
    List<ConfigEntry> entries =
        config.entries().stream()
            .filter(entry -> all || isSetHere(entry))
            .sorted(Comparator.comparing(ConfigEntry::name))
            .toList();
    output.print(
        entries.stream().map(ConfigDescribeCommand::document).toList(), () -> printText(entries));
  }

  private void printText(List<ConfigEntry> entries) {
    if (entries.isEmpty()) {
      System.err.println("No settings were made for " + target.text() + "; --all shows defaults.");
    }
    for (ConfigEntry entry : entries) {
      System.out.printf("%s=%s  (%s)%n", entry.name(), value(entry), source(entry));
    }
  }

  private boolean isSetHere(ConfigEntry entry) {
    return switch (entry.source()) {
      case DYNAMIC_TOPIC_CONFIG, DYNAMIC_GROUP_CONFIG -> true;
      case DYNAMIC_BROKER_CONFIG, DYNAMIC_DEFAULT_BROKER_CONFIG, STATIC_BROKER_CONFIG ->
          target.isBroker();
      default -> false;
    };
  }

  private static String source(ConfigEntry entry) {
    return switch (entry.source()) {
      case DYNAMIC_TOPIC_CONFIG -> "this topic";
      case DYNAMIC_GROUP_CONFIG -> "this group";
      case DYNAMIC_BROKER_CONFIG -> "this broker";
      case DYNAMIC_DEFAULT_BROKER_CONFIG -> "the cluster";
      case STATIC_BROKER_CONFIG -> "the broker's file";
      case DEFAULT_CONFIG -> "default";
      default -> entry.source().toString();
    };
  }

  private static @Nullable String value(ConfigEntry entry) {
    return entry.isSensitive() ? "(hidden)" : entry.value();
  }

  private static Map<String, @Nullable Object> document(ConfigEntry entry) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("name", entry.name());
    document.put("value", entry.isSensitive() ? null : entry.value());
    document.put("source", entry.source().toString());
    document.put("readOnly", entry.isReadOnly());
    document.put("sensitive", entry.isSensitive());
    return document;
  }
}
