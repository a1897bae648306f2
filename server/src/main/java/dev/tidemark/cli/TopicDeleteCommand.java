package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.internals.Topic;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic delete}. */
@Command(name = "delete", description = "Deletes topics with all their records.")
final class TopicDeleteCommand extends AdminCommand {
  @Parameters(paramLabel = "NAME", arity = "1..*", description = "The topics' names.")
  List<String> names = List.of();

  @Option(
      names = "--internal",
      description = "Also those that the broker keeps for itself, such as all groups' offsets.")
  boolean internal;

  @Override
  void refuseMistakes() throws CommandFailure {
    for (String name : names) {
      Topics.requireName(name);
      if (Topic.isInternal(name) && !internal) {
        throw CommandFailure.failed(
            name
                + " holds what the broker itself keeps, such as the committed offsets of all groups;"
                + " nothing was deleted; give --internal if it is to go");
      }
    }
  }

  @Override
  boolean isDecidedByController() {
    return true;
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    Map<String, KafkaFuture<Void>> answers = admin.deleteTopics(names).topicNameValues();
    List<String> deleted = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    for (String name : new LinkedHashSet<>(names)) {
      KafkaFuture<Void> answer = answers.get(name);
      if (answer == null) {
        refused.add(name + ": the broker did not answer for it");
        continue;
      }
      try {
        await(answer);
        deleted.add(name);
      } catch (CommandFailure e) {
        refused.add(name + ": " + Topics.explained(e, name).getMessage());
      }
    }
    if (!deleted.isEmpty()) {
      System.out.println("Deleted " + String.join(", ", deleted) + ".");
    }
    if (!refused.isEmpty()) {
      throw CommandFailure.failed("not deleted: " + String.join("; ", refused));
    }
  }
}
