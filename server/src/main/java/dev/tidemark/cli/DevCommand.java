package dev.tidemark.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tidemark dev}. */
@Command(
    name = "dev",
    description =
        "Starts brokers for development in one process, reachable from this machine only.")
final class DevCommand implements Callable<Integer> {
  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "" + DevOptions.DEFAULT_PORT,
      description = "Where to listen; 0 takes any free port. Default: ${DEFAULT-VALUE}.")
  int port;

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description =
          "The data folder. Default: tidemark/dev below $XDG_DATA_HOME or ~/.local/share.")
  @Nullable String dataDir;

  @Option(
      names = "--ephemeral",
      description = "Keep the data in a temporary folder that is deleted at the end.")
  boolean ephemeral;

  @Option(
      names = "--brokers",
      paramLabel = "COUNT",
      defaultValue = "" + DevCluster.DEFAULT_BROKERS,
      description =
          "How many brokers, at ports from --port on; 1 starts soonest. Default: ${DEFAULT-VALUE}.")
  int brokers;

  @Option(
      names = "--voters",
      paramLabel = "COUNT",
      description =
          "How many of the brokers are controllers that vote, 1, 3 or 5: with 3 each of them may"
              + " fail. Stays as it was when the folder was new. Default: 1.")
  @Nullable Integer voters;

  @Override
  public Integer call() throws CommandFailure {
    return DevRun.run(new DevOptions(port, dataDir, ephemeral, brokers, voters));
  }
}
