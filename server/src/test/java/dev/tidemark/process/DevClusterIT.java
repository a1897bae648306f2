package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Test;

/** {@code tidemark dev} starts a small cluster in one process. */
class DevClusterIT {
  private static final ConfigResource TOPIC = new ConfigResource(ConfigResource.Type.TOPIC, "t");

  private final Installation installation = Installation.get();

  private static void assertTopic(BrokerUnderTest broker, int replicas, String minimum)
      throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      assertThat(admin.describeCluster().nodes().get()).hasSize(replicas);
      admin.createTopics(List.of(new NewTopic("t", -1, (short) -1))).all().get();
      TopicDescription topic = admin.describeTopics(List.of("t")).allTopicNames().get().get("t");
      assertThat(topic.partitions().get(0).replicas()).hasSize(replicas);
      assertThat(
              admin
                  .describeConfigs(List.of(TOPIC))
                  .all()
                  .get()
                  .get(TOPIC)
                  .get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG)
                  .value())
          .isEqualTo(minimum);
    }
  }

  @Test
  void threeBrokersKeepWhatWasWrittenAndTwoInSyncAreAskedFor() throws Exception {
    Path data = installation.newFolder("data");
    try (BrokerUnderTest cluster = BrokerUnderTest.startCluster(data, 0)) {
      assertTopic(cluster, 3, "2");
      cluster.tidemark("v\n", "produce", "t").requireSuccess();
      assertThat(cluster.stop()).isZero();
      assertThat(cluster.log()).doesNotContain("ERROR").doesNotContain("Exception");
    }
    for (int id = 1; id <= 3; id++) {
      assertThat(data.resolve("broker-" + id).resolve("t-0")).isDirectory();
      assertThat(data.resolve("broker-" + id).resolve(".kafka_cleanshutdown")).exists();
    }
    try (BrokerUnderTest cluster = BrokerUnderTest.startCluster(data, 0)) {
      Ran read = cluster.tidemark("", "consume", "t", "--from-beginning", "--max-messages", "1");
      assertThat(read.requireSuccess().out()).isEqualTo("v\n");
    }
  }

  private static void assertVoters(BrokerUnderTest broker, int voters) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      QuorumInfo quorum = admin.describeMetadataQuorum().quorumInfo().get();
      assertThat(quorum.voters()).hasSize(voters);
      assertThat(quorum.nodes()).hasSize(voters);
    }
  }

  /** They know each other by their addresses, which must be the same after a restart. */
  @Test
  void threeVotersStartStopAndStartAgain() throws Exception {
    Path data = installation.newFolder("data");
    try (BrokerUnderTest cluster = BrokerUnderTest.startCluster(data, 4, "--voters", "3")) {
      assertVoters(cluster, 3);
      cluster.tidemark("v\n", "produce", "t").requireSuccess();
      assertThat(cluster.stop()).isZero();
      assertThat(cluster.log())
          .doesNotContain("ERROR")
          .doesNotContain("Exception")
          .doesNotContain("does not answer"); // the last ones still had their controllers
    }
    for (int id = 1; id <= 4; id++) {
      assertThat(data.resolve("broker-" + id).resolve(".kafka_cleanshutdown")).exists();
    }
    try (BrokerUnderTest cluster = BrokerUnderTest.startCluster(data, 4)) {
      assertVoters(cluster, 3);
      Ran read = cluster.tidemark("", "consume", "t", "--from-beginning", "--max-messages", "1");
      assertThat(read.requireSuccess().out()).isEqualTo("v\n");
    }
    Ran other =
        Ran.of(
            installation.command(
                Map.of(), "dev", "--data-dir", data.toString(), "--brokers", "4", "--voters", "1"),
            "");
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err()).contains(data.toString(), "3 voting controllers");
  }

  @Test
  void ofTwoBrokersOneMayBeDown() throws Exception {
    try (BrokerUnderTest cluster =
        BrokerUnderTest.startCluster(installation.newFolder("data"), 2)) {
      assertTopic(cluster, 2, "1");
    }
  }

  @Test
  void whenOneCannotStartTheOthersStopInOrder() throws Exception {
    Path data = installation.newFolder("data");
    List<Integer> ports = FreePorts.inARow(2);
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(1)));
      Ran ran =
          Ran.of(
              installation.command(
                  Map.of(),
                  "dev",
                  "--data-dir",
                  data.toString(),
                  "--port",
                  String.valueOf(ports.get(0))),
              "");
      assertThat(ran.exitCode()).isEqualTo(1);
      assertThat(ran.err()).contains("port " + ports.get(1), "in use");
    }
    assertThat(data.resolve("broker-1").resolve(".kafka_cleanshutdown")).exists();
  }

  @Test
  void theDataOfASingleBrokerAreNotHiddenByACluster() throws Exception {
    Path data = installation.newFolder("data");
    try (BrokerUnderTest broker = BrokerUnderTest.start(data)) {
      assertThat(broker.stop()).isZero();
    }
    Ran ran = Ran.of(installation.command(Map.of(), "dev", "--data-dir", data.toString()), "");
    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err()).contains(data.toString(), "--brokers 1");
  }
}
