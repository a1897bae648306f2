package dev.tidemark.cli;

import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark topic list}. */
@Command(name = "list", description = "Prints the names of all topics.")
final class TopicListCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Option(names = "--internal", description = "Also those that the broker keeps for itself.")
  boolean internal;

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    ListTopicsOptions options = new ListTopicsOptions().listInternal(internal);
    TreeSet<String> names = new TreeSet<>(await(admin.listTopics(options).names()));
    output.print(names, () -> names.forEach(System.out::println));
  }
}
