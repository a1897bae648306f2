package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.metadata.MetadataView;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * Tells clients that ask the wrong broker, or with an old leader epoch, who leads now and where
 * that is, so that they need neither ask for metadata nor wait before they try again (KIP-951).
 * Owned by the data shard.
 */
public final class CurrentLeaders {
  private static final short FIRST_PRODUCE_VERSION = 10;
  private static final short FIRST_FETCH_VERSION = 16;

  private final MetadataView view;
  private final int nodeId;

  /**
   * @param nodeId this node, of which nobody is told: whoever hears it has just asked here
   */
  public CurrentLeaders(MetadataView view, int nodeId) {
    this.view = view;
    this.nodeId = nodeId;
  }

  /** Completes an answer to Produce. */
  void tell(Request request, ProduceResponseData answer) {
    if (request.version() < FIRST_PRODUCE_VERSION) {
      return;
    }
    Told told = new Told(request.client().listenerName());
    for (TopicProduceResponse topic : answer.responses()) {
      for (PartitionProduceResponse one : topic.partitionResponses()) {
        Leader leader = told.leader(one.errorCode(), topic.name(), topic.topicId(), one.index());
        if (leader != null) {
          one.currentLeader().setLeaderId(leader.node().id()).setLeaderEpoch(leader.epoch());
        }
      }
    }
    for (Node node : told.nodes()) {
      answer
          .nodeEndpoints()
          .add(
              new ProduceResponseData.NodeEndpoint()
                  .setNodeId(node.id())
                  .setHost(node.host())
                  .setPort(node.port())
                  .setRack(node.rack()));
    }
  }

  /** Completes an answer to Fetch, which names topics by their ids in these versions. */
  void tell(Request request, FetchResponseData answer) {
    if (request.version() < FIRST_FETCH_VERSION) {
      return;
    }
    Told told = new Told(request.client().listenerName());
    for (FetchableTopicResponse topic : answer.responses()) {
      for (PartitionData one : topic.partitions()) {
        Leader leader = told.leader(one.errorCode(), "", topic.topicId(), one.partitionIndex());
        if (leader != null) {
          one.currentLeader().setLeaderId(leader.node().id()).setLeaderEpoch(leader.epoch());
        }
      }
    }
    for (Node node : told.nodes()) {
      answer
          .nodeEndpoints()
          .add(
              new FetchResponseData.NodeEndpoint()
                  .setNodeId(node.id())
                  .setHost(node.host())
                  .setPort(node.port())
                  .setRack(node.rack()));
    }
  }

  /** Where a partition is led. */
  private record Leader(Node node, int epoch) {}

  /** What one answer tells: leaders, and each of their brokers once. */
  private final class Told {
    private final ListenerName listener;
    private Map<Integer, Node> nodes = Map.of(); // of most answers

    Told(ListenerName listener) {
      this.listener = listener;
    }

    Collection<Node> nodes() {
      return nodes.values();
    }

    /** Null for a partition that is not refused for its leader, and where none is known. */
    @Nullable Leader leader(short error, String topic, Uuid topicId, int index) {
      boolean isElsewhere =
          error == Errors.NOT_LEADER_OR_FOLLOWER.code()
              || error == Errors.FENCED_LEADER_EPOCH.code();
      Leader leader = isElsewhere ? find(topic, topicId, index, listener) : null;
      if (leader != null) {
        nodes = nodes.isEmpty() ? new TreeMap<>() : nodes;
        nodes.put(leader.node().id(), leader.node());
      }
      return leader;
    }
  }

  /** Null while there is none, or none that the listener's clients reach. */
  private @Nullable Leader find(String name, Uuid id, int index, ListenerName listener) {
    MetadataImage image = view.image();
    TopicImage named = Uuid.ZERO_UUID.equals(id) ? image.topics().getTopic(name) : null;
    PartitionRegistration partition = view.partition(named == null ? id : named.id(), index);
    if (partition == null || partition.leader == nodeId) {
      return null;
    }
    BrokerRegistration broker = image.cluster().broker(partition.leader);
    Node node = broker == null ? null : broker.node(listener.value()).orElse(null);
    return node == null ? null : new Leader(node, partition.leaderEpoch);
  }
}
