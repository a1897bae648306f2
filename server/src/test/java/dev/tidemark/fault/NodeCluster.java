package dev.tidemark.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.process.Installation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;

/** Nodes that are brokers and voters, each in a process of its own. */
final class NodeCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final List<Node> nodes;
  private final Admin admin;

  private NodeCluster(List<Node> nodes) {
    this.nodes = nodes;
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

  /** Formats and starts so many nodes, and waits until all are brokers of the cluster. */
  static NodeCluster start(int count, String... moreProperties) throws Exception {
    Path root = Installation.get().newFolder("cluster");
    List<NodePorts> ports = NodePorts.free(count);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Path folder = Files.createDirectory(root.resolve("node" + (i + 1)));
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
      nodes.add(new Node(i + 1, ports.get(i), folder));
    }
    String clusterId = Uuid.randomUuid().toString();
    String voters =
        nodes.stream()
            .map(node -> node.id() + "@" + controller(node) + ":" + Uuid.randomUuid())
            .collect(Collectors.joining(","));
    for (Node node : nodes) {
      node.format(clusterId, voters, properties(nodes, node, List.of(moreProperties)));
    }
    NodeCluster cluster = new NodeCluster(nodes);
    try {
      for (Node node : nodes) {
        node.start();
      }
      cluster.awaitBrokers();
      return cluster;
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  private static String controller(Node node) {
    return "127.0.0.1:" + node.ports().controllers();
  }

  private static List<String> properties(List<Node> nodes, Node node, List<String> more) {
    List<String> lines = new ArrayList<>();
    lines.add("process.roles=broker,controller");
    lines.add("node.id=" + node.id());
    lines.add(
        "listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
            .formatted(node.ports().clients(), node.ports().controllers()));
    lines.add("controller.listener.names=CONTROLLER");
    lines.add("listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
    lines.add("inter.broker.listener.name=PLAINTEXT");
    lines.add(
        "controller.quorum.bootstrap.servers="
            + nodes.stream().map(NodeCluster::controller).collect(Collectors.joining(",")));
    lines.add("log.dirs=" + node.dataFolder());
    lines.addAll(more);
    return lines;
  }

  List<Node> nodes() {
    return nodes;
  }

  Node node(int id) {
    return nodes.get(id - 1);
  }

  Admin admin() {
    return admin;
  }

  String bootstrap() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.ports().clients())
        .collect(Collectors.joining(","));
  }

  /** Waits until all nodes are brokers that serve. */
  void awaitBrokers() throws Exception {
    await("all brokers", () -> admin.describeCluster().nodes().get().size() == nodes.size());
  }

  /** Waits until every replica of the topic is in sync. */
  void awaitInSync(String topic) throws Exception {
    await(
        "all in-sync replicas of " + topic,
        () -> describe(topic).partitions().stream().allMatch(NodeCluster::isComplete));
  }

  private static boolean isComplete(TopicPartitionInfo partition) {
    return partition.leader() != null && partition.isr().size() == partition.replicas().size();
  }

  TopicDescription describe(String topic) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
  }

  private void await(String what, Callable<Boolean> condition) throws Exception {
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
        "no %s within %s, last error %s; %s".formatted(what, PATIENCE, last, outputs()));
  }

  /** What the nodes have printed. */
  String outputs() throws Exception {
    StringBuilder all = new StringBuilder();
    for (Node node : nodes) {
      all.append("\n--- node ").append(node.id()).append('\n').append(node.output());
    }
    return all.toString();
  }

  /** Ends all nodes in order, one after the other, so that their files can be looked at. */
  void stopAll() throws Exception {
    for (Node node : nodes) {
      node.stop();
    }
    assertThat(nodes).noneMatch(Node::isRunning);
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
    nodes.forEach(Node::close);
  }
}
