package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic elect}. */
@Command(
    name = "elect",
    description = "Gives partitions back to their preferred leaders: the first of their replicas.")
final class TopicElectCommand extends AdminCommand {
  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = "Only these topics; all without a name.")
  List<String> names = new ArrayList<>();

  @Option(
      names = "--unclean",
      description =
          "Where nobody leads: elect a replica that is not in sync. Acknowledged records are lost.")
  boolean unclean;

  @Override
  void refuseMistakes() throws CommandFailure {
    for (String name : names) {
      Topics.requireName(name);
    }
    if (unclean && names.isEmpty()) {
      throw CommandFailure.usage("--unclean loses records; name the topics it is meant for");
    }
  }

  @Override
  boolean isDecidedByController() {
    return true;
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    Set<TopicPartition> wanted = new HashSet<>();
    for (String name : names) {
      for (TopicPartitionInfo one : Topics.describe(admin, name).partitions()) {
        wanted.add(new TopicPartition(name, one.partition()));
      }
    }
    ElectionType type = unclean ? ElectionType.UNCLEAN : ElectionType.PREFERRED;
    Map<TopicPartition, Optional<Throwable>> answers = new TreeMap<>(ClusterState.ORDER);
    answers.putAll(await(admin.electLeaders(type, names.isEmpty() ? null : wanted).partitions()));
    answers.values().removeIf(TopicElectCommand::isNotNeeded);
    report(answers);
  }

  private static boolean isNotNeeded(Optional<Throwable> answer) {
    return answer.isPresent() && answer.get() instanceof ElectionNotNeededException;
  }

  private static void report(Map<TopicPartition, Optional<Throwable>> answers)
      throws CommandFailure {
    List<String> refused = new ArrayList<>();
    answers.forEach(
        (partition, failure) -> {
          if (failure.isPresent()) {
            refused.add(partition + ": " + FailureText.of(failure.get()));
          } else {
            System.out.println("Elected a leader of " + partition + ".");
          }
        });
    if (!refused.isEmpty()) {
      throw CommandFailure.failed(String.join("; ", refused));
    }
    if (answers.isEmpty()) {
      System.out.println("No election was needed.");
    }
  }
}
