package dev.tidemark.broker.request;

import dev.tidemark.broker.Partitions;
import dev.tidemark.metadata.MetadataView;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's brokers as a client on one listener sees them.
 *
 * @param clusterId told to clients
 * @param nodeId this node
 * @param partitions what this node hosts
 * @param activeController the node that decides; -1 while none is known
 */
public record ClusterNodes(
    MetadataView view,
    String clusterId,
    int nodeId,
    Partitions partitions,
    IntSupplier activeController) {

  /** For a node that is the controller itself. */
  public ClusterNodes(MetadataView view, String clusterId, int nodeId, Partitions partitions) {
    this(view, clusterId, nodeId, partitions, () -> nodeId);
  }

  /**
   * Whom clients are told to send to what the controller decides: that, if clients reach it; else
   * this node, which forwards.
   */
  int controllerId(ListenerName listener) {
    int id = activeController.getAsInt();
    return alive(id, listener) == null ? nodeId : id;
  }

  MetadataImage image() {
    return view.image();
  }

  /** All brokers that have the listener, by id. */
  List<BrokerNode> all(ListenerName listener, boolean withFenced) {
    List<BrokerNode> nodes = new ArrayList<>();
    for (BrokerRegistration broker : new TreeMap<>(image().cluster().brokers()).values()) {
      Node node = broker.node(listener.value()).orElse(null);
      if (node != null && (withFenced || !broker.fenced())) {
        nodes.add(new BrokerNode(node, broker.fenced()));
      }
    }
    return nodes;
  }

  /** A broker's address on a listener. */
  record BrokerNode(Node node, boolean fenced) {}

  /** Where a living broker is to be reached, or null. */
  @Nullable Node alive(int brokerId, ListenerName listener) {
    BrokerRegistration broker = image().cluster().broker(brokerId);
    return broker == null || broker.fenced() ? null : broker.node(listener.value()).orElse(null);
  }

  /** True when the leader lives and serves the partition; of other nodes their life is all. */
  boolean isServed(
      String topic, int index, PartitionRegistration partition, ListenerName listener) {
    return alive(partition.leader, listener) != null
        && (partition.leader != nodeId || !partitions.isOffline(topic, index));
  }

  /** The replicas of a partition that cannot serve now. */
  List<Integer> offlineReplicas(
      String topic, int index, PartitionRegistration partition, ListenerName listener) {
    List<Integer> offline = new ArrayList<>(0);
    for (int replica : partition.replicas) {
      BrokerRegistration broker = image().cluster().broker(replica);
      if (broker == null
          || broker.fenced()
          || (replica == nodeId && partitions.isOffline(topic, index))
          || !broker.listeners().containsKey(listener.value())
          || !broker.hasOnlineDir(partition.directory(replica))) {
        offline.add(replica);
      }
    }
    return offline;
  }
}
