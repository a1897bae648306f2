package dev.tidemark.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tidemark group}. */
@Command(
    name = "group",
    description = "Lists, describes and deletes consumer groups, and moves their offsets.",
    subcommands = {
      GroupListCommand.class,
      GroupDescribeCommand.class,
      GroupResetCommand.class,
      GroupDeleteCommand.class
    })
final class GroupCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "one of list, describe, reset-offsets, delete is missing");
  }
}
