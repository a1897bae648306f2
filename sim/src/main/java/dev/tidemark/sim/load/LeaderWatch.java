package dev.tidemark.sim.load;

import dev.tidemark.sim.ClusterNode;
import dev.tidemark.sim.SimulatedCluster;
import dev.tidemark.sim.check.LeaderAnswer;
import dev.tidemark.sim.check.PartitionHistory;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.jspecify.annotations.Nullable;

/**
 * Asks every node by itself, all the time, where the partitions of a topic end, which only their
 * leaders answer.
 */
public final class LeaderWatch {
  private static final int VERSION = 9;
  private static final int MAX_PAUSE_MS = 30;

  private final ClusterClient client;
  private final List<PartitionHistory> histories;

  /**
   * Starts to ask.
   *
   * @param histories of the partitions, in their order
   */
  public LeaderWatch(SimulatedCluster cluster, String topic, List<PartitionHistory> histories) {
    this.client = new ClusterClient(cluster, "watch", topic);
    this.histories = histories;
    for (ClusterNode node : cluster.all()) {
      client.execute(() -> ask(node.id()));
    }
  }

  private void ask(int nodeId) {
    List<ListOffsetsPartition> all = new ArrayList<>();
    for (int i = 0; i < histories.size(); i++) {
      all.add(
          new ListOffsetsPartition()
              .setPartitionIndex(i)
              .setTimestamp(ListOffsetsRequest.LATEST_TIMESTAMP));
    }
    ListOffsetsRequestData request =
        new ListOffsetsRequestData()
            .setReplicaId(ListOffsetsRequest.CONSUMER_REPLICA_ID)
            .setTopics(List.of(new ListOffsetsTopic().setName(client.topic()).setPartitions(all)));
    long sentNs = client.nowNs();
    client.call(
        nodeId,
        ApiKeys.LIST_OFFSETS,
        VERSION,
        request,
        answer -> {
          onAnswer(nodeId, sentNs, answer);
          client.after(1 + client.randomness().nextInt(MAX_PAUSE_MS), () -> ask(nodeId));
        });
  }

  private void onAnswer(int nodeId, long sentNs, @Nullable ApiMessage answer) {
    if (answer == null) {
      return;
    }
    long receivedNs = client.nowNs();
    for (var topic : ((ListOffsetsResponseData) answer).topics()) {
      for (var one : topic.partitions()) {
        if (one.errorCode() == Errors.NONE.code()) {
          histories
              .get(one.partitionIndex())
              .answered(
                  new LeaderAnswer(nodeId, one.leaderEpoch(), one.offset(), sentNs, receivedNs));
        }
      }
    }
  }
}
