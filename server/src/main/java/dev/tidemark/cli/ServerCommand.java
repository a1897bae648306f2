package dev.tidemark.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tidemark server}. */
@Command(name = "server", description = "Starts a broker as its server.properties says.")
final class ServerCommand implements Callable<Integer> {
  @Mixin ConfigOptions options = new ConfigOptions();

  @Override
  public Integer call() throws CommandFailure {
    return ServerRun.run(options.toServerOptions());
  }
}
