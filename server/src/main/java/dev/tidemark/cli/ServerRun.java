package dev.tidemark.cli;

import dev.tidemark.server.ServerLogging;
import dev.tidemark.server.SettingsFile;
import dev.tidemark.server.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a broker as its settings file says. */
final class ServerRun {
  private ServerRun() {}

  static int run(ServerOptions options) throws CommandFailure {
    ServerLogging.server();
    Logger log = LoggerFactory.getLogger(ServerRun.class);
    BrokerRun broker = BrokerRun.start(settings(options), false, null);
    log.info("Tidemark {} is ready: {}.", Version.current(), broker.description());
    return broker.awaitEnd();
  }

  static Map<String, String> settings(ServerOptions options) throws CommandFailure {
    try {
      return SettingsFile.read(Path.of(options.config()), options.overrides());
    } catch (IOException e) {
      throw CommandFailure.failed(FailureText.of(e) + "; correct --config");
    }
  }
}
