package dev.tidemark.cli;

import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tidemark group delete}. */
@Command(name = "delete", description = "Deletes a group without members, and its offsets.")
final class GroupDeleteCommand extends AdminCommand {
  @Parameters(paramLabel = "NAME", description = "The group's name.")
  String name = "";

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    try {
      await(admin.deleteConsumerGroups(List.of(name)).all());
    } catch (CommandFailure e) {
      if (e.getCause() instanceof GroupNotEmptyException) {
        throw CommandFailure.failed(
            "group " + name + " has members; stop its consumers, then delete it again");
      }
      throw Groups.explained(e, name);
    }
    System.out.println("Deleted group " + name + ".");
  }
}
