package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three processes of the release form a cluster, and go on without the active controller. */
class ClusterIT {
  private static final int NODES = 3;
  private static final int TIMEOUT_SECONDS = 60;

  private final Map<Integer, NodeUnderTest> nodes = new TreeMap<>();

  @AfterEach
  void stop() throws Exception {
    for (NodeUnderTest node : nodes.values()) {
      node.kill();
    }
  }

  private void startThree() throws Exception {
    Installation installation = Installation.get();
    String cluster = id(installation);
    List<Integer> ports = FreePorts.take(2 * NODES);
    List<String> controllers = new ArrayList<>();
    for (int id = 1; id <= NODES; id++) {
      controllers.add(
          "%d@127.0.0.1:%d:%s".formatted(id, ports.get(NODES + id - 1), id(installation)));
    }
    for (int id = 1; id <= NODES; id++) {
      Path folder = installation.newFolder("node-" + id);
      NodeUnderTest node =
          new NodeUnderTest(id, folder, ports.get(id - 1), ports.subList(NODES, 2 * NODES));
      node.format(cluster, String.join(",", controllers));
      nodes.put(id, node);
    }
    for (NodeUnderTest node : nodes.values()) {
      node.start();
    }
    for (NodeUnderTest node : nodes.values()) {
      node.awaitReady();
    }
  }

  private static String id(Installation installation) throws Exception {
    return Ran.of(installation.command(Map.of(), "random-uuid"), "").requireSuccess().out().strip();
  }

  private String bootstrap() {
    return String.join(",", nodes.values().stream().map(NodeUnderTest::bootstrap).toList());
  }

  private static void create(Admin admin, String topic) throws Exception {
    admin
        .createTopics(List.of(new NewTopic(topic, 3, (short) 1)))
        .all()
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void anotherTopicIsCreatedAfterTheActiveControllerWasKilled() throws Exception {
    startThree();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      create(admin, "before");
      assertThat(
              admin.describeCluster().nodes().get(TIMEOUT_SECONDS, TimeUnit.SECONDS).stream()
                  .map(Node::id))
          .containsExactlyInAnyOrder(1, 2, 3);
      int active =
          admin
              .describeMetadataQuorum()
              .quorumInfo()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .leaderId();
      NodeUnderTest killed = nodes.remove(active);
      killed.kill();

      create(admin, "after");

      assertThat(
              admin
                  .describeMetadataQuorum()
                  .quorumInfo()
                  .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                  .leaderId())
          .isNotEqualTo(active);
      nodes.put(active, killed);
      killed.start();
      killed.awaitReady();
      assertThat(admin.listTopics().names().get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
          .contains("before", "after");
    }
    for (NodeUnderTest node : nodes.values()) {
      assertThat(node.stop()).as("node %d: %s", node.id(), node.log()).isZero();
    }
  }
}
