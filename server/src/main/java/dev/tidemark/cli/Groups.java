package dev.tidemark.cli;

import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** What the group commands share. */
final class Groups {
  private Groups() {}

  static ConsumerGroupDescription describe(Admin admin, String name)
      throws CommandFailure, InterruptedException {
    try {
      ConsumerGroupDescription group =
          AdminCommand.await(admin.describeConsumerGroups(List.of(name)).all()).get(name);
      if (group == null) {
        throw CommandFailure.failed("the broker did not answer for group " + name);
      }
      return group;
    } catch (CommandFailure e) {
      throw explained(e, name);
    }
  }

  /** The same, and what to do where the group does not exist. */
  static CommandFailure explained(CommandFailure e, String name) {
    return e.getCause() instanceof GroupIdNotFoundException
        ? CommandFailure.failed(
            "there is no group " + name + "; 'tidemark group list' shows those there are")
        : e;
  }
}
