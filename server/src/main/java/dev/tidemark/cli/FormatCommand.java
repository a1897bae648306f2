package dev.tidemark.cli;

import dev.tidemark.broker.folder.FolderRefused;
import dev.tidemark.broker.settings.InvalidSetting;
import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.Formatted;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark format}. */
@Command(
    name = "format",
    description = "Prepares the empty data folders that a server.properties names.")
final class FormatCommand implements Callable<Integer> {
  @Mixin ConfigOptions options = new ConfigOptions();

  @Option(
      names = "--cluster-id",
      paramLabel = "ID",
      description = "The cluster this node belongs to. Default: a new one.")
  @Nullable String clusterId;

  @Override
  public Integer call() throws CommandFailure {
    try {
      Formatted formatted =
          BrokerProcess.format(ServerRun.settings(options.toServerOptions()), clusterId);
      System.out.println(
          String.join(", ", formatted.folders())
              + (formatted.already() ? ": formatted already" : ": formatted")
              + " for cluster "
              + formatted.clusterId()
              + ".");
      return ExitCodes.OK;
    } catch (InvalidSetting | FolderRefused | IOException e) {
      throw CommandFailure.failed(FailureText.of(e));
    }
  }
}
