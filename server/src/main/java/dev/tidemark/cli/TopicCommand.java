package dev.tidemark.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tidemark topic}. */
@Command(
    name = "topic",
    description =
        "Creates, lists, describes and deletes topics, and moves their leaders and replicas.",
    subcommands = {
      TopicCreateCommand.class,
      TopicListCommand.class,
      TopicDescribeCommand.class,
      TopicDeleteCommand.class,
      TopicElectCommand.class,
      TopicReassignCommand.class,
      TopicMovesCommand.class
    })
final class TopicCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(),
        "one of create, list, describe, delete, elect, reassign, moves is missing");
  }
}
