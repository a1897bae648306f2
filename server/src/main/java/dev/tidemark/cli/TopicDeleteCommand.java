package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic delete}. */
@Command(name = "delete", description = "Deletes topics with all their records.")
final class TopicDeleteCommand extends AdminCommand {
  @Parameters(paramLabel = "NAME", arity = "1..*", description = "The topics' names.")
  List<String> names = List.of();

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
        refused.add(name + ": " + e.getMessage());
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
