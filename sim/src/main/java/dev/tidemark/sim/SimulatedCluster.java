package dev.tidemark.sim;

import dev.tidemark.broker.folder.FirstVoters;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumVoter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Several nodes of a cluster in virtual time, and a client that talks to any of them. */
public final class SimulatedCluster {
  private static final long WALL_MS = 1_700_000_000_000L;
  private static final long LIMIT_MS = 60_000;
  private static final long CALL_MS = 40_000;

  public final Scheduler scheduler;
  public final VirtualNetwork network;
  private final long seed;
  private final Map<Integer, ClusterNode> nodes = new TreeMap<>();
  private final SimShard client;
  private final Map<String, PeerConnection> connections = new TreeMap<>();

  /**
   * A cluster without nodes.
   *
   * @param lines gets a line for each event; null for none
   */
  public SimulatedCluster(long seed, @Nullable Consumer<String> lines) {
    this.seed = seed;
    this.scheduler = new Scheduler(new Trace(lines));
    this.network = new VirtualNetwork(scheduler, seed);
    this.client = new SimNode("client", network, seed, WALL_MS, 0).newShard("client");
  }

  /** Formats nodes 1 to {@code roles.size()}; those with the controller role vote. */
  public SimulatedCluster formatted(List<String> roles, Map<String, String> more)
      throws IOException {
    List<Integer> controllers = new ArrayList<>();
    List<QuorumVoter> voters = new ArrayList<>();
    for (int id = 1; id <= roles.size(); id++) {
      if (roles.get(id - 1).contains("controller")) {
        controllers.add(id);
        voters.add(
            new QuorumVoter(
                id, new Uuid(77, id), new QuorumAddress("n" + id, ClusterNode.CONTROLLER_PORT)));
      }
    }
    for (int id = 1; id <= roles.size(); id++) {
      SimNode machine = new SimNode("n" + id, network, seed, WALL_MS, 0);
      nodes.put(
          id,
          new ClusterNode(
              id,
              machine,
              network,
              roles.get(id - 1),
              controllers,
              new FirstVoters.Listed("CONTROLLER", voters),
              more));
    }
    return this;
  }

  /** Values that the seed gives for one purpose. */
  public SeededRandomness randomness(String purpose) {
    return new SeededRandomness(seed).fork(purpose);
  }

  /** A machine for a client. */
  public SimNode newMachine(String host) {
    return new SimNode(host, network, seed, WALL_MS, 0);
  }

  public ClusterNode node(int id) {
    ClusterNode node = nodes.get(id);
    if (node == null) {
      throw new IllegalArgumentException("no node " + id);
    }
    return node;
  }

  /** All nodes, in the order of their ids. */
  public List<ClusterNode> all() {
    return List.copyOf(nodes.values());
  }

  /** Starts all nodes and waits until they are ready. */
  public SimulatedCluster startAll() {
    nodes.values().forEach(ClusterNode::start);
    awaitReady();
    return this;
  }

  /** Waits until all nodes that run are ready. */
  public void awaitReady() {
    await(
        "all nodes to be ready",
        () -> nodes.values().stream().allMatch(node -> node.isReady() || !node.isRunning()));
  }

  /** Lets time pass until a condition holds, at most a minute. */
  public void await(String what, BooleanSupplier condition) {
    if (!scheduler.runUntil(condition, LIMIT_MS)) {
      throw new AssertionError(
          "waited in vain for "
              + what
              + "; failures: "
              + nodes.values().stream().map(ClusterNode::failures).toList());
    }
  }

  /** The answer of a node; null if none came. */
  @Nullable ApiMessage tryCall(int nodeId, ApiKeys api, int version, ApiMessage request) {
    PeerConnection peer =
        connections.computeIfAbsent(
            node(nodeId).host(),
            host ->
                new PeerConnection(
                    new VirtualDialer(client), client.timers(), "client", host, ClusterNode.PORT));
    Sent sent = send(peer, api, version, request, () -> {});
    await("the end of " + api, () -> !sent.isPending());
    return sent.answer();
  }

  /** A call, and what has become of it so far. */
  public static final class Sent {
    private @Nullable ApiMessage answer;
    private boolean ended;

    /** Whether it has neither an answer nor failed. */
    public boolean isPending() {
      return !ended;
    }

    /** Null as long as none has come. */
    public @Nullable ApiMessage answer() {
      return answer;
    }
  }

  /** Sends a request to a port of a node over a connection of its own, and waits for nothing. */
  public Sent send(int nodeId, int port, ApiKeys api, int version, ApiMessage request) {
    PeerConnection peer =
        new PeerConnection(
            new VirtualDialer(client), client.timers(), "client", node(nodeId).host(), port);
    return send(peer, api, version, request, peer::close);
  }

  private Sent send(
      PeerConnection peer, ApiKeys api, int version, ApiMessage request, Runnable atItsEnd) {
    Sent sent = new Sent();
    client.execute(
        () ->
            peer.send(
                api,
                (short) version,
                request,
                CALL_MS,
                new PeerConnection.Answer() {
                  @Override
                  public void onResponse(ApiMessage response) {
                    sent.answer = response;
                    sent.ended = true;
                    atItsEnd.run();
                  }

                  @Override
                  public void onFailed(PeerConnection.Failure failure) {
                    sent.ended = true;
                    atItsEnd.run();
                  }
                }));
    return sent;
  }

  <T extends ApiMessage> T call(
      int nodeId, ApiKeys api, int version, ApiMessage request, Class<T> type) {
    ApiMessage answer = tryCall(nodeId, api, version, request);
    if (answer == null) {
      throw new AssertionError("node " + nodeId + " did not answer " + api);
    }
    return type.cast(answer);
  }

  /** Creates a topic; the error that was answered. */
  public Errors create(int nodeId, String topic, int partitions, int replicas) {
    CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(10_000);
    request
        .topics()
        .add(
            new CreatableTopic()
                .setName(topic)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) replicas));
    CreateTopicsResponseData response =
        call(nodeId, ApiKeys.CREATE_TOPICS, 7, request, CreateTopicsResponseData.class);
    return Errors.forCode(response.topics().iterator().next().errorCode());
  }

  void delete(int nodeId, String topic) {
    DeleteTopicsRequestData request =
        new DeleteTopicsRequestData().setTopicNames(List.of(topic)).setTimeoutMs(10_000);
    DeleteTopicsResponseData response =
        call(nodeId, ApiKeys.DELETE_TOPICS, 5, request, DeleteTopicsResponseData.class);
    Errors error = Errors.forCode(response.responses().find(topic).errorCode());
    if (error != Errors.NONE) {
      throw new AssertionError("delete " + topic + ": " + error);
    }
  }

  /** What a node tells of topics. */
  public MetadataResponseData metadata(int nodeId, String... topics) {
    MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(true);
    for (String topic : topics) {
      request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName(topic));
    }
    return call(nodeId, ApiKeys.METADATA, 12, request, MetadataResponseData.class);
  }

  /** The active controller as a node tells it. */
  int controller(int nodeId) {
    return quorum(nodeId).leaderId();
  }

  /** Up to where the metadata log is committed, exclusive. */
  long metadataEnd(int nodeId) {
    return quorum(nodeId).highWatermark();
  }

  private DescribeQuorumResponseData.PartitionData quorum(int nodeId) {
    DescribeQuorumRequestData request = new DescribeQuorumRequestData();
    request
        .topics()
        .add(
            new DescribeQuorumRequestData.TopicData()
                .setTopicName(Topic.CLUSTER_METADATA_TOPIC_NAME)
                .setPartitions(
                    List.of(new DescribeQuorumRequestData.PartitionData().setPartitionIndex(0))));
    DescribeQuorumResponseData response =
        call(nodeId, ApiKeys.DESCRIBE_QUORUM, 2, request, DescribeQuorumResponseData.class);
    return response.topics().get(0).partitions().get(0);
  }

  /** What ended processes that should have gone on. */
  public List<String> failures() {
    return nodes.values().stream().flatMap(node -> node.failures().stream()).toList();
  }
}
