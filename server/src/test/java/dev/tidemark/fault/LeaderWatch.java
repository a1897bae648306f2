package dev.tidemark.fault;

import dev.tidemark.process.NodeCluster;
import dev.tidemark.process.NodeUnderTest;
import dev.tidemark.sim.check.LeaderAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * Asks every node by itself, all the time, where the partitions of a topic end, which only their
 * leaders answer, and keeps the answers. A thread for each node.
 */
final class LeaderWatch {
  private static final short VERSION = 9;
  private static final long PAUSE_MS = 10;
  private static final long PAUSE_WITHOUT_NODE_MS = 50;

  private final String topic;
  private final int partitions;
  private final List<Thread> threads = new ArrayList<>();
  private final List<ConcurrentLinkedQueue<LeaderAnswer>> answers = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /** Starts to ask. */
  LeaderWatch(NodeCluster cluster, String topic, int partitions) {
    this.topic = topic;
    this.partitions = partitions;
    for (int i = 0; i < partitions; i++) {
      answers.add(new ConcurrentLinkedQueue<>());
    }
    for (NodeUnderTest node : cluster.nodes()) {
      Thread thread = new Thread(() -> ask(node), "leader-watch-" + node.id());
      threads.add(thread);
      thread.start();
    }
  }

  private void ask(NodeUnderTest node) {
    try {
      while (!stopped) {
        try (TimedConnection connection = new TimedConnection(node.bootstrap())) {
          for (int number = 0; !stopped; number++) {
            askOnce(node.id(), connection, number);
            Thread.sleep(PAUSE_MS);
          }
        } catch (IOException e) {
          Thread.sleep(PAUSE_WITHOUT_NODE_MS); // it is down; when it is back nobody tells
        }
      }
    } catch (InterruptedException | RuntimeException e) {
      failures.add("the watch of node " + node.id() + " failed: " + e);
    }
  }

  private void askOnce(int nodeId, TimedConnection connection, int number) throws IOException {
    RequestHeader header = new RequestHeader(ApiKeys.LIST_OFFSETS, VERSION, "watch", number);
    TimedConnection.Answer answer =
        connection.call(
            RequestUtils.serialize(header.data(), header.headerVersion(), data(), VERSION),
            () -> stopped);
    if (answer == null) {
      return;
    }
    ListOffsetsResponse response =
        (ListOffsetsResponse) AbstractResponse.parseResponse(answer.frame(), header);
    response.data().topics().stream()
        .flatMap(one -> one.partitions().stream())
        .filter(one -> one.errorCode() == Errors.NONE.code())
        .forEach(
            one ->
                answers
                    .get(one.partitionIndex())
                    .add(
                        new LeaderAnswer(
                            nodeId,
                            one.leaderEpoch(),
                            one.offset(),
                            answer.notBeforeNs(),
                            answer.receivedNs())));
  }

  private ListOffsetsRequestData data() {
    List<ListOffsetsPartition> all = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      all.add(
          new ListOffsetsPartition()
              .setPartitionIndex(i)
              .setTimestamp(ListOffsetsRequest.LATEST_TIMESTAMP));
    }
    return new ListOffsetsRequestData()
        .setReplicaId(ListOffsetsRequest.CONSUMER_REPLICA_ID)
        .setTopics(List.of(new ListOffsetsTopic().setName(topic).setPartitions(all)));
  }

  /** Ends asking. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** What was answered of a partition; after {@link #stop}. */
  List<LeaderAnswer> answers(int partition) {
    return List.copyOf(answers.get(partition));
  }

  /** Why a watch ended too early, if one did. */
  List<String> failures() {
    return List.copyOf(failures);
  }
}
