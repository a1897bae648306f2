package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tidemark broker drain}. */
@Command(
    name = "drain",
    description = "Moves all replicas of a broker to the others, so that it can be taken out.")
final class BrokerDrainCommand extends AdminCommand {
  @Parameters(paramLabel = "ID", description = "The broker's id.")
  int id;

  @Override
  boolean isDecidedByController() {
    return true;
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    ClusterState state = ClusterState.ask(admin);
    state.requireRegistered(id);
    Map<TopicPartition, List<Integer>> there = state.replicas(id);
    List<Integer> others = new ArrayList<>(state.serving());
    others.remove(Integer.valueOf(id));
    ReplicaSpread spread = new ReplicaSpread(there, others, state.replicas(-1));
    if (!spread.vacate(one -> one == id)) {
      throw CommandFailure.failed(
          "without broker %d too few brokers serve for so many replicas, only %s; add one first"
              .formatted(id, Reassignments.text(others)));
    }
    Reassignments.begin(admin, there, spread.changes());
  }
}
