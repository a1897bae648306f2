package dev.tidemark.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;

/** Nodes that are brokers and voters, each in a process of its own. */
public final class NodeCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final List<NodeUnderTest> nodes;
  private final NodeNetwork network;
  private final Admin admin;

  private NodeCluster(List<NodeUnderTest> nodes, NodeNetwork network) {
    this.nodes = nodes;
    this.network = network;
    this.admin =
        Admin.create(
            Map.of(
                "bootstrap.servers",
                bootstrap(),
                "request.timeout.ms",
                3000,
                "default.api.timeout.ms",
                10_000));
  }

  /** Formats and starts so many nodes, and waits until all say that they are ready. */
  public static NodeCluster start(int count) throws Exception {
    return start(count, "");
  }

  /** The same with more lines for the server.properties of each. */
  static NodeCluster start(int count, String more) throws Exception {
    return start(count, new DirectNetwork(count), more);
  }

  /** The same, of nodes whose {@link #links} can be cut. */
  public static NodeCluster startLinked(int count) throws Exception {
    return start(count, new LinkedNetwork(count), "");
  }

  private static NodeCluster start(int count, NodeNetwork network, String more) throws Exception {
    List<NodeUnderTest> nodes = new ArrayList<>();
    List<String> controllers = new ArrayList<>();
    for (int id = 1; id <= count; id++) {
      nodes.add(new NodeUnderTest(id, Installation.get().newFolder("node-" + id), network, more));
      controllers.add("%d@%s:%s".formatted(id, network.controller(id), Uuid.randomUuid()));
    }
    String clusterId = clusterId();
    for (NodeUnderTest node : nodes) {
      node.format(clusterId, String.join(",", controllers));
    }
    NodeCluster cluster = new NodeCluster(nodes, network);
    try {
      for (NodeUnderTest node : nodes) {
        node.start();
      }
      for (NodeUnderTest node : nodes) {
        node.awaitReady();
      }
      return cluster;
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  private static String clusterId() throws Exception {
    return Ran.of(Installation.get().command(Map.of(), "random-uuid"), "")
        .requireSuccess()
        .out()
        .strip();
  }

  public List<NodeUnderTest> nodes() {
    return nodes;
  }

  /** What is between the nodes; of a cluster that was started with links. */
  public LinkedNetwork links() {
    if (network instanceof LinkedNetwork linked) {
      return linked;
    }
    throw new IllegalStateException("the nodes of this cluster have nothing between them");
  }

  NodeUnderTest node(int id) {
    return nodes.get(id - 1);
  }

  public Admin admin() {
    return admin;
  }

  /** Where the controllers are asked, of all nodes. */
  String controllers() {
    return nodes.stream()
        .map(node -> network.controller(node.id()))
        .collect(Collectors.joining(","));
  }

  public String bootstrap() {
    return nodes.stream().map(NodeUnderTest::bootstrap).collect(Collectors.joining(","));
  }

  /** Runs {@code bin/tidemark} with these words and the cluster's addresses. */
  Ran run(String... command) throws Exception {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of("--bootstrap-server", bootstrap()));
    return Ran.of(Installation.get().command(Map.of(), words.toArray(String[]::new)), "");
  }

  /** What a command tells with {@code --format json}; it must succeed. */
  JsonNode json(String... command) throws Exception {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of("--format", "json"));
    Ran ran = run(words.toArray(String[]::new)).requireSuccess();
    return new ObjectMapper().readTree(ran.out());
  }

  /** Waits until all nodes are brokers that serve. */
  public void awaitBrokers() throws Exception {
    await("all brokers", () -> admin.describeCluster().nodes().get().size() == nodes.size());
  }

  /** Waits until every replica of the topic is in sync. */
  public void awaitInSync(String topic) throws Exception {
    await(
        "all in-sync replicas of " + topic,
        () -> describe(topic).partitions().stream().allMatch(NodeCluster::isComplete));
  }

  /** Waits until that node leads partition 0 of the topic. */
  void awaitLeader(String topic, int id) throws Exception {
    await(
        "leader " + id + " of " + topic,
        () -> {
          Node leader = describe(topic).partitions().get(0).leader();
          return leader != null && leader.id() == id;
        });
  }

  private static boolean isComplete(TopicPartitionInfo partition) {
    return partition.leader() != null && partition.isr().size() == partition.replicas().size();
  }

  public TopicDescription describe(String topic) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
  }

  /** Waits until that holds. */
  void await(String what, Callable<Boolean> condition) throws Exception {
    long giveUpNs = System.nanoTime() + PATIENCE.toNanos();
    Throwable last = null;
    while (System.nanoTime() < giveUpNs) {
      try {
        if (condition.call()) {
          return;
        }
        Thread.sleep(100); // other processes change it, and tell nobody
      } catch (ExecutionException e) {
        last = e.getCause();
      }
    }
    throw new AssertionError(
        "no %s within %s, last error %s; %s".formatted(what, PATIENCE, last, logs()));
  }

  /** What the nodes have printed. */
  public String logs() throws Exception {
    StringBuilder all = new StringBuilder();
    for (NodeUnderTest node : nodes) {
      all.append("\n--- node ").append(node.id()).append('\n').append(node.log());
    }
    return all.toString();
  }

  /** Ends all nodes in order, one after the other, so that their files can be looked at. */
  public void stopAll() throws Exception {
    for (NodeUnderTest node : nodes) {
      node.stop();
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
    for (NodeUnderTest node : nodes) {
      try {
        node.kill();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    network.close();
  }
}
