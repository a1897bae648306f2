package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tidemark topic moves}. */
@Command(name = "moves", description = "Lists the moves of replicas between brokers under way.")
final class TopicMovesCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    Map<TopicPartition, PartitionReassignment> moves = Reassignments.underWay(admin);
    List<Object> documents = new ArrayList<>();
    moves.forEach((partition, move) -> documents.add(document(partition, move)));
    output.print(documents, () -> printText(moves));
  }

  private static Map<String, Object> document(
      TopicPartition partition, PartitionReassignment move) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("topic", partition.topic());
    document.put("partition", partition.partition());
    document.put("replicas", move.replicas());
    document.put("adding", move.addingReplicas());
    document.put("removing", move.removingReplicas());
    return document;
  }

  private static void printText(Map<TopicPartition, PartitionReassignment> moves) {
    if (moves.isEmpty()) {
      System.err.println("No replicas are being moved.");
      return;
    }
    TextTable table = new TextTable("PARTITION", "REPLICAS", "ADDING", "REMOVING");
    moves.forEach(
        (partition, move) ->
            table.add(
                partition,
                Reassignments.text(move.replicas()),
                Reassignments.text(move.addingReplicas()),
                Reassignments.text(move.removingReplicas())));
    table.print();
  }
}
