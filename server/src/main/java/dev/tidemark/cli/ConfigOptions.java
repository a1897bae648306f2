package dev.tidemark.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say where the settings are. */
final class ConfigOptions {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The settings, with Kafka's keys: server.properties.")
  String config = "";

  @Option(
      names = "--override",
      paramLabel = "KEY=VALUE",
      description = "A setting that wins over the file's; may be repeated.")
  Map<String, String> overrides = new LinkedHashMap<>();

  ServerOptions toServerOptions() {
    return new ServerOptions(config, overrides);
  }
}
