package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.QuorumInfo.ReplicaState;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tidemark quorum}. */
@Command(
    name = "quorum",
    description = "Prints who decides for the cluster, and how far each node has its metadata.")
final class QuorumCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Override
  boolean isDecidedByController() {
    return true;
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    QuorumInfo quorum = await(admin.describeMetadataQuorum().quorumInfo());
    long end =
        quorum.voters().stream()
            .filter(voter -> voter.replicaId() == quorum.leaderId())
            .mapToLong(ReplicaState::logEndOffset)
            .max()
            .orElse(-1);
    List<Map<String, @Nullable Object>> nodes = new ArrayList<>();
    quorum
        .voters()
        .forEach(
            one ->
                nodes.add(
                    document(one, one.replicaId() == quorum.leaderId() ? "active" : "voter", end)));
    quorum.observers().forEach(one -> nodes.add(document(one, "observer", end)));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("activeController", quorum.leaderId());
    document.put("epoch", quorum.leaderEpoch());
    document.put("highWatermark", quorum.highWatermark());
    document.put("nodes", nodes);
    output.print(document, () -> printText(quorum, nodes));
  }

  private static Map<String, @Nullable Object> document(
      ReplicaState node, String role, long leaderEnd) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("node", node.replicaId());
    document.put("role", role);
    document.put("logEndOffset", node.logEndOffset());
    document.put("lag", node.logEndOffset() < 0 ? null : leaderEnd - node.logEndOffset());
    return document;
  }

  private static void printText(QuorumInfo quorum, List<Map<String, @Nullable Object>> nodes) {
    System.out.printf(
        "active controller %d  epoch %d  high watermark %d%n",
        quorum.leaderId(), quorum.leaderEpoch(), quorum.highWatermark());
    TextTable table = new TextTable("NODE", "ROLE", "LOG-END-OFFSET", "LAG");
    for (Map<String, @Nullable Object> one : nodes) {
      List<@Nullable Object> row = new ArrayList<>(one.values());
      table.add(row.toArray());
    }
    table.print();
  }
}
