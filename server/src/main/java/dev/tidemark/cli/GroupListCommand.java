package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tidemark group list}. */
@Command(name = "list", description = "Prints all groups with their type, protocol and state.")
final class GroupListCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    List<GroupListing> groups = new ArrayList<>(await(admin.listGroups().all()));
    groups.sort(Comparator.comparing(GroupListing::groupId));
    output.print(
        groups.stream().map(GroupListCommand::document).toList(),
        () -> {
          TextTable table = new TextTable("GROUP", "TYPE", "PROTOCOL", "STATE");
          groups.forEach(group -> table.add(document(group).values().toArray()));
          table.print();
        });
  }

  private static Map<String, String> document(GroupListing group) {
    Map<String, String> document = new LinkedHashMap<>();
    document.put("group", group.groupId());
    document.put("type", group.type().map(Object::toString).orElse(""));
    document.put("protocol", group.protocol());
    document.put("state", group.groupState().map(Object::toString).orElse(""));
    return document;
  }
}
