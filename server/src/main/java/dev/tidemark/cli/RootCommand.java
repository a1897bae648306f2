package dev.tidemark.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tidemark} itself. */
@Command(
    name = "tidemark",
    description = {
      "A replicated log that speaks the Kafka protocol.",
      "'tidemark sim' runs whole clusters in virtual time, under faults; 'tidemark sim --help'."
    },
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class,
    scope = CommandLine.ScopeType.INHERIT,
    subcommands = {
      DevCommand.class,
      ServerCommand.class,
      FormatCommand.class,
      TopicCommand.class,
      ProduceCommand.class,
      ConsumeCommand.class,
      GroupCommand.class,
      ConfigCommand.class,
      LogDirsCommand.class,
      BrokerCommand.class,
      QuorumCommand.class,
      LostTailCommand.class,
      RandomUuidCommand.class
    })
final class RootCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
  }
}
