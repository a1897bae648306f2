package dev.tidemark.sim.load;

import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.sim.ClusterNode;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.SimulatedCluster;
import dev.tidemark.sim.VirtualDialer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A client's machine: a connection to each node, and what it knows of who leads. All of it happens
 * on the machine's one shard.
 */
final class ClusterClient {
  static final long TIMEOUT_MS = 3_000;
  static final long RETRY_MS = 20;
  private static final short METADATA_VERSION = 12;
  private static final int PORT = ClusterNode.PORT;

  private final SimShard shard;
  private final String name;
  private final String topic;
  private final List<ClusterNode> nodes;
  private final SeededRandomness randomness;
  private final Map<Integer, PeerConnection> connections = new TreeMap<>();
  private final Map<Integer, Leader> leaders = new TreeMap<>();
  private boolean refreshing;

  /** Who leads a partition, as far as is known. */
  private record Leader(int nodeId, int epoch) {}

  ClusterClient(SimulatedCluster cluster, String name, String topic) {
    this.shard = cluster.newMachine(name).newShard("client");
    this.name = name;
    this.topic = topic;
    this.nodes = cluster.all();
    this.randomness = cluster.randomness("client " + name);
  }

  SeededRandomness randomness() {
    return randomness;
  }

  String name() {
    return name;
  }

  String topic() {
    return topic;
  }

  long wallMs() {
    return shard.clock().wallMs();
  }

  long nowNs() {
    return shard.clock().monotonicNs();
  }

  List<ClusterNode> nodes() {
    return nodes;
  }

  void execute(Runnable event) {
    shard.execute(event);
  }

  void after(long delayMs, Runnable event) {
    var unused = shard.timers().schedule(delayMs, event);
  }

  /** The node that leads a partition; null if none is known. */
  @Nullable Integer leaderOf(int partition) {
    Leader leader = leaders.get(partition);
    return leader == null ? null : leader.nodeId;
  }

  int anyNode() {
    return nodes.get(randomness.nextInt(nodes.size())).id();
  }

  /**
   * Sends a request to a node.
   *
   * @param then gets the answer, or null if none came
   */
  void call(
      int nodeId,
      ApiKeys api,
      int version,
      ApiMessage request,
      Consumer<@Nullable ApiMessage> then) {
    PeerConnection peer = connections.computeIfAbsent(nodeId, this::connect);
    peer.send(
        api,
        (short) version,
        request,
        TIMEOUT_MS,
        new PeerConnection.Answer() {
          @Override
          public void onResponse(ApiMessage response) {
            then.accept(response);
          }

          @Override
          public void onFailed(PeerConnection.Failure failure) {
            then.accept(null);
          }
        });
  }

  private PeerConnection connect(int nodeId) {
    return new PeerConnection(new VirtualDialer(shard), shard.timers(), name, "n" + nodeId, PORT);
  }

  /** Asks a node who leads; one question is under way at a time. */
  void refresh() {
    if (refreshing) {
      return;
    }
    refreshing = true;
    MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
    request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName(topic));
    call(anyNode(), ApiKeys.METADATA, METADATA_VERSION, request, this::onMetadata);
  }

  private void onMetadata(@Nullable ApiMessage answer) {
    refreshing = false;
    if (answer == null) {
      return;
    }
    var told = ((MetadataResponseData) answer).topics().find(topic);
    if (told == null || told.errorCode() != Errors.NONE.code()) {
      return;
    }
    for (var one : told.partitions()) {
      Leader known = leaders.get(one.partitionIndex());
      if (one.leaderId() < 0) {
        leaders.remove(one.partitionIndex());
      } else if (known == null || known.epoch <= one.leaderEpoch()) {
        leaders.put(one.partitionIndex(), new Leader(one.leaderId(), one.leaderEpoch()));
      }
    }
  }
}
