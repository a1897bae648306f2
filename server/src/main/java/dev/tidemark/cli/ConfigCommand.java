package dev.tidemark.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tidemark config}. */
@Command(
    name = "config",
    description = "Shows and changes settings of topics, groups, brokers and the cluster.",
    subcommands = {ConfigDescribeCommand.class, ConfigSetCommand.class, ConfigUnsetCommand.class})
final class ConfigCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "one of describe, set, unset is missing");
  }
}
