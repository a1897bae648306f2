package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Test;

/** Three processes of the release form a cluster, and go on without the active controller. */
class ClusterIT {
  private static final int NODES = 3;
  private static final int TIMEOUT_SECONDS = 60;

  private static void create(Admin admin, String topic) throws Exception {
    admin
        .createTopics(List.of(new NewTopic(topic, 3, (short) 1)))
        .all()
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private static int activeController(Admin admin) throws Exception {
    return admin
        .describeMetadataQuorum()
        .quorumInfo()
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .leaderId();
  }

  @Test
  void anotherTopicIsCreatedAfterTheActiveControllerWasKilled() throws Exception {
    try (NodeCluster cluster = NodeCluster.start(NODES);
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      create(admin, "before");
      assertThat(
              admin.describeCluster().nodes().get(TIMEOUT_SECONDS, TimeUnit.SECONDS).stream()
                  .map(Node::id))
          .containsExactlyInAnyOrder(1, 2, 3);
      int active = activeController(admin);
      NodeUnderTest killed = cluster.node(active);
      killed.kill();

      create(admin, "after");

      assertThat(activeController(admin)).isNotEqualTo(active);
      killed.start();
      killed.awaitReady();
      assertThat(admin.listTopics().names().get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
          .contains("before", "after");
      cluster.stopAll();
    }
  }
}
