package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tidemark lost-tail drop}. */
@Command(
    name = "drop",
    description = "Has brokers forget lost tails, with the records they have kept of them.")
final class LostTailDropCommand extends AdminCommand {
  @Parameters(paramLabel = "LOST-TAIL", arity = "1..*", description = "As in 'lost-tail list'.")
  List<String> names = new ArrayList<>();

  @Override
  void refuseMistakes() throws CommandFailure {
    for (String name : names) {
      LostTailId unused = LostTailId.parse(name);
    }
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    for (String name : names) {
      LostTailId id = LostTailId.parse(name);
      LostTailCalls.drop(LostTailCalls.broker(admin, id), id);
      System.out.println("Dropped " + id + ".");
    }
  }
}
