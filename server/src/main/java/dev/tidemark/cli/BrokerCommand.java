package dev.tidemark.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tidemark broker}. */
@Command(
    name = "broker",
    description = "Lists the brokers of a cluster, empties one and takes it out.",
    subcommands = {
      BrokerListCommand.class,
      BrokerDrainCommand.class,
      BrokerUnregisterCommand.class
    })
final class BrokerCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "one of list, drain, unregister is missing");
  }
}
