package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.env.Clock;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import dev.tidemark.quorum.QuorumState;
import java.util.List;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumRequestData.TopicData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.Listener;
import org.apache.kafka.common.message.DescribeQuorumResponseData.PartitionData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ReplicaState;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.Errors;

/**
 * DescribeQuorum: who keeps the metadata log, and how far each is (KIP-595, KIP-836, KIP-853). The
 * controller has no listener of its own, so clients are told that of the broker.
 */
public final class DescribeQuorumHandler implements RequestHandler {
  private static final short FIRST_VERSION_WITH_TIMES = 1;
  private static final short FIRST_VERSION_WITH_DIRECTORIES = 2;

  private final ControllerCalls controller;
  private final ClusterNodes nodes;
  private final Clock clock;

  public DescribeQuorumHandler(ControllerCalls controller, ClusterNodes nodes, Clock clock) {
    this.controller = controller;
    this.nodes = nodes;
    this.clock = clock;
  }

  @Override
  public void handle(Request request) {
    DescribeQuorumRequestData data = request.data(DescribeQuorumRequestData.class);
    if (!asksForMetadata(data)) {
      request.answer(unknown(data));
      return;
    }
    controller.call(
        (Controller decider, Reply<QuorumState> reply) -> reply.succeed(decider.quorumState()),
        new Reply<>() {
          @Override
          public void succeed(QuorumState state) {
            request.answer(answer(state, request.version(), request.client().listenerName()));
          }

          @Override
          public void fail(Throwable cause) {
            request.fail(cause);
          }
        });
  }

  private static boolean asksForMetadata(DescribeQuorumRequestData data) {
    if (data.topics().size() != 1) {
      return false;
    }
    TopicData topic = data.topics().get(0);
    return topic.topicName().equals(Topic.CLUSTER_METADATA_TOPIC_NAME)
        && topic.partitions().size() == 1
        && topic.partitions().get(0).partitionIndex() == 0;
  }

  private static DescribeQuorumResponseData unknown(DescribeQuorumRequestData data) {
    DescribeQuorumResponseData response = new DescribeQuorumResponseData();
    for (TopicData topic : data.topics()) {
      DescribeQuorumResponseData.TopicData result =
          new DescribeQuorumResponseData.TopicData().setTopicName(topic.topicName());
      topic
          .partitions()
          .forEach(
              partition ->
                  result
                      .partitions()
                      .add(
                          new PartitionData()
                              .setPartitionIndex(partition.partitionIndex())
                              .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code())
                              .setErrorMessage(
                                  "Only partition 0 of %s has a quorum."
                                      .formatted(Topic.CLUSTER_METADATA_TOPIC_NAME))));
      response.topics().add(result);
    }
    return response;
  }

  private DescribeQuorumResponseData answer(
      QuorumState state, short version, ListenerName listener) {
    long nowMs = clock.wallMs();
    ReplicaState leader =
        new ReplicaState().setReplicaId(state.leaderId()).setLogEndOffset(state.logEndOffset());
    if (version >= FIRST_VERSION_WITH_TIMES) {
      leader.setLastFetchTimestamp(nowMs).setLastCaughtUpTimestamp(nowMs);
    }
    DescribeQuorumResponseData response = new DescribeQuorumResponseData();
    if (version >= FIRST_VERSION_WITH_DIRECTORIES) {
      leader.setReplicaDirectoryId(state.directoryId());
      addNode(response, state.leaderId(), listener);
    }
    PartitionData partition =
        new PartitionData()
            .setPartitionIndex(0)
            .setLeaderId(state.leaderId())
            .setLeaderEpoch(state.leaderEpoch())
            .setHighWatermark(state.highWatermark())
            .setCurrentVoters(List.of(leader));
    response
        .topics()
        .add(
            new DescribeQuorumResponseData.TopicData()
                .setTopicName(Topic.CLUSTER_METADATA_TOPIC_NAME)
                .setPartitions(List.of(partition)));
    return response;
  }

  private void addNode(DescribeQuorumResponseData response, int nodeId, ListenerName listener) {
    Node node = nodes.alive(nodeId, listener);
    if (node == null) {
      return;
    }
    DescribeQuorumResponseData.Node told = new DescribeQuorumResponseData.Node().setNodeId(nodeId);
    told.listeners()
        .add(new Listener().setName(listener.value()).setHost(node.host()).setPort(node.port()));
    response.nodes().add(told);
  }
}
