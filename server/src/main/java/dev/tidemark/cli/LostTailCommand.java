package dev.tidemark.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tidemark lost-tail}. */
@Command(
    name = "lost-tail",
    description =
        "Lists, shows and drops what failovers cost: records that no leader has any more.",
    subcommands = {LostTailListCommand.class, LostTailShowCommand.class, LostTailDropCommand.class})
final class LostTailCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "one of list, show, drop is missing");
  }
}
