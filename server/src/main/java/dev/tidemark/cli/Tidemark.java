package dev.tidemark.cli;

import dev.tidemark.broker.settings.NearestName;
import dev.tidemark.server.ServerLogging;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The main program. {@code dev} and {@code server} with plain options start without the command
 * line library, which would cost a good part of the start-up time; all else goes through it.
 */
public final class Tidemark {
  private Tidemark() {}

  /** Runs one command and ends the process with its exit code: 0, 1 failed, 2 not understood. */
  public static void main(String[] args) {
    int code = run(List.of(args));
    System.out.flush();
    System.err.flush();
    System.exit(code);
  }

  static int run(List<String> args) {
    try {
      Integer code = runFast(args);
      return code == null ? runParsed(args) : code;
    } catch (CommandFailure failure) {
      return report(failure);
    }
  }

  /** Null when the arguments are not plain enough. */
  private static @Nullable Integer runFast(List<String> args) throws CommandFailure {
    if (args.isEmpty()) {
      return null;
    }
    List<String> rest = args.subList(1, args.size());
    switch (args.get(0)) {
      case "dev" -> {
        DevOptions options = DevOptions.parsePlain(rest);
        return options == null ? null : DevRun.run(options);
      }
      case "server" -> {
        ServerOptions options = ServerOptions.parsePlain(rest);
        return options == null ? null : ServerRun.run(options);
      }
      default -> {
        return null;
      }
    }
  }

  private static int runParsed(List<String> args) {
    ServerLogging.quiet();
    return execute(args);
  }

  /** Runs a command of the command line library; leaves the log as it is. */
  static int execute(List<String> args) {
    CommandLine line = new CommandLine(new RootCommand());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setParameterExceptionHandler(
        (mistake, unused) -> {
          System.err.println(
              "tidemark: "
                  + mistakeText(mistake)
                  + "; see '"
                  + mistake.getCommandLine().getCommandSpec().qualifiedName()
                  + " --help'");
          return ExitCodes.USAGE;
        });
    line.setExecutionExceptionHandler(
        (failure, unused, alsoUnused) ->
            failure instanceof CommandFailure known
                ? report(known)
                : report(CommandFailure.failed(FailureText.of(failure))));
    return line.execute(args.toArray(new String[0]));
  }

  private static String mistakeText(CommandLine.ParameterException mistake) {
    if (mistake instanceof CommandLine.UnmatchedArgumentException unmatched
        && !unmatched.isUnknownOption()
        && !mistake.getCommandLine().getSubcommands().isEmpty()) {
      String given = unmatched.getUnmatched().get(0);
      String nearest = NearestName.find(given, mistake.getCommandLine().getSubcommands().keySet());
      return "unknown command '"
          + given
          + (nearest == null ? "'" : "'; did you mean '" + nearest + "'?");
    }
    return FailureText.of(mistake).replace("option option", "option");
  }

  private static int report(CommandFailure failure) {
    System.err.println("tidemark: " + failure.getMessage());
    return failure.exitCode();
  }
}
