package dev.tidemark.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic create}. */
@Command(name = "create", description = "Creates a topic.")
final class TopicCreateCommand extends AdminCommand {
  @Parameters(paramLabel = "NAME", description = "The topic's name.")
  String name = "";

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "How many partitions. Default: the broker's num.partitions.")
  @Nullable Integer partitions;

  @Option(
      names = "--replication-factor",
      paramLabel = "N",
      description = "How many replicas. Default: the broker's default.replication.factor.")
  @Nullable Short replicationFactor;

  @Option(
      names = "--config",
      paramLabel = "KEY=VALUE",
      description = "A topic setting; may be repeated.")
  Map<String, String> configs = new LinkedHashMap<>();

  @Override
  void refuseMistakes() throws CommandFailure {
    Topics.requireName(name);
  }

  @Override
  boolean isDecidedByController() {
    return true;
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    NewTopic topic =
        new NewTopic(name, Optional.ofNullable(partitions), Optional.ofNullable(replicationFactor))
            .configs(configs);
    await(admin.createTopics(List.of(topic)).all());
    System.out.println("Created topic " + name + ".");
  }
}
