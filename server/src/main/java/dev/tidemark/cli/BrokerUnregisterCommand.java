package dev.tidemark.cli;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tidemark broker unregister}. */
@Command(
    name = "unregister",
    description = "Has the cluster forget a broker that is stopped and holds nothing.")
final class BrokerUnregisterCommand extends AdminCommand {
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
    Map<?, ?> replicas = state.replicas(id);
    if (!replicas.isEmpty()) {
      throw CommandFailure.failed(
          "broker %d still has replicas, %d of them; move them with 'tidemark broker drain %d' first"
              .formatted(id, replicas.size(), id));
    }
    if (state.serving().contains(id)) {
      throw CommandFailure.failed(
          "broker " + id + " still serves and would register again; stop it first");
    }
    Void unused = await(admin.unregisterBroker(id).all());
    System.out.println("Unregistered broker " + id + ".");
  }
}
