package dev.tidemark.cli;

import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic delete}. */
@Command(name = "delete", description = "Deletes topics with all their records.")
final class TopicDeleteCommand extends AdminCommand {
  @Parameters(paramLabel = "NAME", arity = "1..*", description = "The topics' names.")
  List<String> names = List.of();

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    await(admin.deleteTopics(names).all());
    System.out.println("Deleted " + String.join(", ", names) + ".");
  }
}
