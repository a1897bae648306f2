package dev.tidemark.cli;

import dev.tidemark.broker.folder.FolderRefused;
import dev.tidemark.broker.settings.InvalidSetting;
import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.FormatOptions;
import dev.tidemark.server.Formatted;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
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
      names = {"--cluster-id", "-t"},
      paramLabel = "ID",
      description = "The cluster this node belongs to, the same on each node. Default: a new one.")
  @Nullable String clusterId;

  @ArgGroup FirstControllers first = new FirstControllers();

  /** Who votes in the metadata log of a new cluster: at most one of these. */
  static final class FirstControllers {
    @Option(
        names = {"--standalone", "-s"},
        description = "This controller is the first and votes alone; others may join.")
    boolean standalone;

    @Option(
        names = {"--initial-controllers", "-I"},
        paramLabel = "LIST",
        description =
            "The first controllers, the same list on each of them:"
                + " ID@HOST:PORT:DIRECTORY_ID,... with directory ids of 'tidemark random-uuid'.")
    @Nullable String initialControllers;

    @Option(
        names = {"--no-initial-controllers", "-N"},
        description = "This controller joins a quorum that is there.")
    boolean noInitialControllers;

    FormatOptions options(@Nullable String clusterId) {
      if (initialControllers != null) {
        return new FormatOptions(clusterId, FormatOptions.Voters.LISTED, initialControllers);
      }
      FormatOptions.Voters voters = FormatOptions.Voters.DEFAULT;
      if (standalone) {
        voters = FormatOptions.Voters.STANDALONE;
      } else if (noInitialControllers) {
        voters = FormatOptions.Voters.NONE;
      }
      return new FormatOptions(clusterId, voters, "");
    }
  }

  @Override
  public Integer call() throws CommandFailure {
    try {
      Formatted formatted =
          BrokerProcess.format(
              ServerRun.settings(options.toServerOptions()), first.options(clusterId));
      System.out.println(
          String.join(", ", formatted.folders())
              + (formatted.already() ? ": formatted already" : ": formatted")
              + " for cluster "
              + formatted.clusterId()
              + ".");
      return ExitCodes.OK;
    } catch (InvalidSetting | FolderRefused | IllegalArgumentException | IOException e) {
      throw CommandFailure.failed(FailureText.of(e));
    }
  }
}
