package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;

/** The commands that move replicas and take a broker out, as the runbook has them. */
class BrokersOfAClusterIT {
  private static final int TIMEOUT_SECONDS = 60;
  private static final String TOPIC = "tides";

  private static void awaitReplicas(NodeCluster cluster, Integer... ids) throws Exception {
    cluster.await(
        "replicas " + List.of(ids),
        () -> {
          TopicPartitionInfo partition = cluster.describe(TOPIC).partitions().get(0);
          return partition.replicas().stream().map(Node::id).toList().equals(List.of(ids));
        });
    cluster.awaitInSync(TOPIC);
  }

  @Test
  void replicasMoveAndABrokerIsTakenOut() throws Exception {
    try (NodeCluster cluster = NodeCluster.start(3)) {
      cluster
          .admin()
          .createTopics(List.of(new NewTopic(TOPIC, Map.of(0, List.of(1, 2)))))
          .all()
          .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      cluster.awaitInSync(TOPIC);
      JsonNode before = cluster.json("broker", "list");
      assertThat(before).hasSize(3).allMatch(one -> one.get("state").asText().equals("serves"));
      assertThat(before.at("/0/leads").asInt()).isEqualTo(1);
      assertThat(before.at("/1/replicas").asInt()).isEqualTo(1);
      JsonNode quorum = cluster.json("quorum");
      assertThat(quorum.get("nodes")).hasSize(3);
      assertThat(quorum.get("activeController").asInt()).isBetween(1, 3);

      assertThat(
              cluster
                  .run("topic", "reassign", TOPIC, "--partition", "0", "--replicas", "3,2")
                  .requireSuccess()
                  .out())
          .startsWith("tides-0  1,2 -> 3,2\n");
      awaitReplicas(cluster, 3, 2);
      assertThat(cluster.json("topic", "moves")).isEmpty();
      cluster.run("topic", "elect", TOPIC).requireSuccess();
      cluster.awaitLeader(TOPIC, 3);

      assertThat(cluster.run("broker", "drain", "3").requireSuccess().out())
          .startsWith("tides-0  3,2 -> 1,2\n");
      awaitReplicas(cluster, 1, 2);
      Ran early = cluster.run("broker", "unregister", "3");
      assertThat(early.exitCode()).isEqualTo(1);
      assertThat(early.err()).contains("still serves", "stop it first");
      cluster.node(3).kill();
      cluster.await(
          "broker 3 to be fenced",
          () -> cluster.json("broker", "list").at("/2/state").asText().equals("fenced"));
      assertThat(cluster.run("broker", "unregister", "3").requireSuccess().out())
          .isEqualTo("Unregistered broker 3.\n");
      assertThat(cluster.json("broker", "list")).hasSize(2);
    }
  }

  @Test
  void whatNobodyCanDecideIsRefusedSoonWithTheReason() throws Exception {
    try (NodeCluster cluster = NodeCluster.start(3)) {
      cluster.awaitBrokers();
      cluster.run("topic", "create", TOPIC).requireSuccess();
      cluster.node(1).kill();
      cluster.node(2).kill();
      // The third may have been the active controller, and notices a moment later that it is alone.
      cluster.await("no controller", () -> cluster.run("quorum").exitCode() == 1);
      for (String[] command :
          new String[][] {
            {"topic", "create", "other"},
            {"topic", "elect"},
            {"broker", "drain", "3"},
            {"config", "set", "--topic", TOPIC, "retention.ms=1"}
          }) {
        long beganNs = System.nanoTime();
        Ran ran = cluster.run(command);
        assertThat(ran.exitCode()).as(ran.err()).isEqualTo(1);
        assertThat(ran.err().strip())
            .startsWith("tidemark: no controller has become active within 8 s")
            .contains("start those that are down")
            .doesNotContain("\n");
        assertThat(System.nanoTime() - beganNs).isLessThan(TimeUnit.SECONDS.toNanos(20));
      }
      cluster.run("broker", "list").requireSuccess();
      cluster.node(2).start();
      cluster.await("a controller", () -> cluster.run("quorum").exitCode() == 0);
    }
  }
}
