package dev.tidemark.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tidemark topic}. */
@Command(
    name = "topic",
    description = "Creates, lists, describes and deletes topics.",
    subcommands = {
      TopicCreateCommand.class,
      TopicListCommand.class,
      TopicDescribeCommand.class,
      TopicDeleteCommand.class
    })
final class TopicCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "one of create, list, describe, delete is missing");
  }
}
