package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kafka 4.4's own tools as an operator of a cluster of three uses them. In order, since the last
 * ones stop nodes.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterToolsIT {
  private static final int NODES = 3;
  private static final int TIMEOUT_SECONDS = 60;

  /** They take what follows a command's name for its own. */
  private static final List<String> BOOTSTRAP_FIRST =
      List.of("MetadataQuorumCommand", "FeatureCommand");

  private static final String SNAPSHOTS = "metadata.log.max.record.bytes.between.snapshots=3000";

  private static NodeCluster cluster;

  @TempDir Path work;

  @BeforeAll
  static void start() throws Exception {
    cluster = NodeCluster.start(NODES, SNAPSHOTS);
    cluster.awaitBrokers();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Runs a tool against all brokers; it is to succeed. */
  private static String tool(String tool, String... args) throws Exception {
    return ran(tool, args).requireSuccess().out();
  }

  private static Ran ran(String tool, String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(
        BOOTSTRAP_FIRST.contains(tool) ? 0 : all.size(),
        List.of("--bootstrap-server", cluster.bootstrap()));
    return ToolRun.of(tool, all.toArray(new String[0]));
  }

  private static void create(String topic, String assignment, String... configs) throws Exception {
    List<String> args =
        new ArrayList<>(List.of("--create", "--topic", topic, "--replica-assignment", assignment));
    for (String config : configs) {
      args.addAll(List.of("--config", config));
    }
    assertThat(tool("TopicCommand", args.toArray(new String[0]))).contains("Created topic");
    cluster.awaitInSync(topic);
  }

  private static void write(String topic, int records) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", cluster.bootstrap()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < records; i++) {
        var unused = producer.send(new ProducerRecord<>(topic, 0, "key", "value " + i));
      }
    }
  }

  private static String problems(String filter) throws Exception {
    return tool("TopicCommand", "--describe", filter);
  }

  @Test
  @Order(1)
  void topicsAreCreatedDescribedGrownAndDeleted() throws Exception {
    tool(
        "TopicCommand",
        "--create",
        "--topic",
        "grown",
        "--partitions",
        "4",
        "--replication-factor",
        "3");
    cluster.awaitInSync("grown");
    String described = tool("TopicCommand", "--describe", "--topic", "grown");
    assertThat(described)
        .contains("PartitionCount: 4", "ReplicationFactor: 3", "min.insync.replicas=2");
    assertThat(described.lines().skip(1))
        .hasSize(4)
        .allMatch(
            line -> line.matches(".*Leader: [123]\tReplicas: \\d,\\d,\\d\tIsr: \\d,\\d,\\d.*"));

    tool("TopicCommand", "--alter", "--topic", "grown", "--partitions", "6");
    cluster.awaitInSync("grown");
    assertThat(tool("TopicCommand", "--describe", "--topic", "grown"))
        .contains("PartitionCount: 6", "Partition: 5");
    for (String filter :
        List.of(
            "--under-replicated-partitions",
            "--under-min-isr-partitions",
            "--unavailable-partitions",
            "--at-min-isr-partitions")) {
      assertThat(problems(filter)).as(filter).isEmpty();
    }

    tool("TopicCommand", "--delete", "--topic", "grown");
    assertThat(tool("TopicCommand", "--list")).doesNotContain("grown");
    Ran refused = ran("TopicCommand", "--describe", "--topic", "grown");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.out() + refused.err()).contains("does not exist");
  }

  @Test
  @Order(2)
  void offsetsAreToldAndRecordsDeletedOnAllReplicas() throws Exception {
    create("deleted-from", "1:2:3");
    write("deleted-from", 10);
    assertThat(tool("GetOffsetShell", "--topic", "deleted-from").strip())
        .isEqualTo("deleted-from:0:10");
    Path offsets =
        Files.writeString(
            work.resolve("offsets.json"),
            "{\"version\":1,\"partitions\":[{\"topic\":\"deleted-from\",\"partition\":0,\"offset\":4}]}");
    assertThat(tool("DeleteRecordsCommand", "--offset-json-file", offsets.toString()))
        .contains("deleted-from-0", "low_watermark: 4");
    assertThat(tool("GetOffsetShell", "--topic", "deleted-from", "--time", "earliest").strip())
        .isEqualTo("deleted-from:0:4");
  }

  @Test
  @Order(3)
  void foldersAndReplicasAreCompared() throws Exception {
    create("compared", "2:3:1");
    write("compared", 5);
    String folders = tool("LogDirsCommand", "--describe", "--topic-list", "compared");
    for (int id = 1; id <= NODES; id++) {
      assertThat(folders)
          .contains("\"broker\":" + id, cluster.node(id).dataFolder().toString())
          .contains("\"partition\":\"compared-0\"");
    }
    assertThat(folders).doesNotContain("\"size\":0,").contains("\"error\":null");
    assertThat(replicaVerification()).contains("max lag is 0");
  }

  /** It never ends by itself: the line of its first look is what it has to tell. */
  private static String replicaVerification() throws Exception {
    Process process =
        KafkaTool.builder(
                "ReplicaVerificationTool",
                "--broker-list",
                cluster.bootstrap(),
                "--topics-include",
                "compared",
                "--report-interval-ms",
                "500")
            .redirectErrorStream(true)
            .start();
    try {
      return CompletableFuture.supplyAsync(() -> firstReport(process))
          .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String firstReport(Process process) {
    StringBuilder all = new StringBuilder();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        all.append(line).append('\n');
        if (line.contains("max lag")) {
          break;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all.toString();
  }

  @Test
  @Order(4)
  void theClusterItsApisAndFeaturesAreDescribed() throws Exception {
    String clusterId = cluster.admin().describeCluster().clusterId().get();
    assertThat(tool("ClusterTool", "cluster-id")).contains("Cluster ID: " + clusterId);
    String endpoints = tool("ClusterTool", "list-endpoints");
    for (int id = 1; id <= NODES; id++) {
      String port = cluster.node(id).bootstrap().replaceAll(".*:", "");
      assertThat(endpoints).containsPattern("(?m)^" + id + "\\s+127\\.0\\.0\\.1\\s+" + port);
    }
    Ran unregister = ran("ClusterTool", "unregister", "--id", "77");
    assertThat(unregister.out() + unregister.err()).contains("77", "not registered");
    assertThat(tool("BrokerApiVersionsCommand"))
        .contains(
            cluster.node(1).bootstrap() + " (id: 1",
            cluster.node(3).bootstrap() + " (id: 3",
            "Produce(0): 0 to 13 [usable: 13]",
            "UnregisterBroker(64): 0 [usable: 0]");
    assertThat(tool("FeatureCommand", "describe"))
        .containsPattern("Feature: metadata\\.version\\s.*FinalizedVersionLevel: ")
        .containsPattern("Feature: kraft\\.version\\s.*FinalizedVersionLevel: 1");
  }

  @Test
  @Order(5)
  void aDefaultForAllBrokersIsSetAndTakenBack() throws Exception {
    String[] brokers = {"--entity-type", "brokers", "--entity-default"};
    tool("ConfigCommand", with(brokers, "--alter", "--add-config", "log.retention.ms=777777"));
    assertThat(tool("ConfigCommand", with(brokers, "--describe")))
        .contains("Default configs for brokers in the cluster are", "log.retention.ms=777777");
    for (int id = 1; id <= NODES; id++) {
      assertThat(
              tool(
                  "ConfigCommand",
                  "--describe",
                  "--all",
                  "--entity-type",
                  "brokers",
                  "--entity-name",
                  String.valueOf(id)))
          .contains("log.retention.ms=777777")
          .contains("DYNAMIC_DEFAULT_BROKER_CONFIG:log.retention.ms=777777");
    }
    tool("ConfigCommand", with(brokers, "--alter", "--delete-config", "log.retention.ms"));
    assertThat(tool("ConfigCommand", with(brokers, "--describe")))
        .doesNotContain("log.retention.ms");
  }

  private static String[] with(String[] last, String... first) {
    return Stream.concat(Stream.of(first), Stream.of(last)).toArray(String[]::new);
  }

  @Test
  @Order(6)
  void theQuorumIsDescribedAndItsVotersAreNotChangedByMistake() throws Exception {
    String status = tool("MetadataQuorumCommand", "describe", "--status");
    assertThat(status)
        .containsPattern("LeaderId:\\s+[123]\n")
        .containsPattern("LeaderEpoch:\\s+[1-9]")
        .containsPattern("HighWatermark:\\s+[1-9]")
        .containsPattern("MaxFollowerLag:\\s+\\d")
        .contains("CurrentVoters:", "\"id\": 1", "\"id\": 2", "\"id\": 3", "CONTROLLER://");
    String replication = tool("MetadataQuorumCommand", "describe", "--replication");
    assertThat(replication.lines().skip(1))
        .hasSize(NODES)
        .filteredOn(line -> line.contains("Leader"))
        .hasSize(1);
    assertThat(replication.lines().filter(line -> line.contains("Follower"))).hasSize(2);

    isRefused("--bootstrap-server", cluster.bootstrap());
    isRefused("--bootstrap-controller", cluster.controllers());
    assertThat(tool("MetadataQuorumCommand", "describe", "--replication").lines().skip(1))
        .hasSize(NODES);
  }

  private static void isRefused(String asked, String where) throws Exception {
    Ran removed =
        ToolRun.of(
            "MetadataQuorumCommand",
            asked,
            where,
            "remove-controller",
            "--controller-id",
            "3",
            "--controller-directory-id",
            "AAAAAAAAAAAAAAAAAAAAAQ");
    assertThat(removed.exitCode()).isEqualTo(1);
    assertThat(removed.out() + removed.err()).contains("REMOVE_RAFT_VOTER");
  }

  private Path reassignment(String topic, String replicas) throws Exception {
    return Files.writeString(
        work.resolve("reassignment.json"),
        "{\"version\":1,\"partitions\":[{\"topic\":\"%s\",\"partition\":0,\"replicas\":[%s]}]}"
            .formatted(topic, replicas));
  }

  @Test
  @Order(7)
  void aPartitionIsReassigned() throws Exception {
    create("moved", "1:2");
    write("moved", 10);
    Path topics =
        Files.writeString(
            work.resolve("topics.json"), "{\"version\":1,\"topics\":[{\"topic\":\"moved\"}]}");
    assertThat(
            tool(
                "reassign.ReassignPartitionsCommand",
                "--generate",
                "--topics-to-move-json-file",
                topics.toString(),
                "--broker-list",
                "2,3"))
        .contains("Current partition replica assignment", "\"replicas\":[1,2]")
        .contains("Proposed partition reassignment configuration")
        .containsPattern("\"replicas\":\\[(2,3|3,2)]");

    String json = reassignment("moved", "2,3").toString();
    String executed =
        tool(
            "reassign.ReassignPartitionsCommand",
            "--execute",
            "--reassignment-json-file",
            json,
            "--throttle",
            "50000000");
    assertThat(executed)
        .contains("Successfully started partition reassignment for moved-0")
        .contains("The inter-broker throttle limit was set to 50000000 B/s");
    cluster.await(
        "the move",
        () -> {
          var partition = cluster.describe("moved").partitions().get(0);
          return partition.replicas().stream().map(one -> one.id()).toList().equals(List.of(2, 3))
              && partition.isr().size() == 2;
        });
    assertThat(
            tool(
                "reassign.ReassignPartitionsCommand", "--verify", "--reassignment-json-file", json))
        .contains("Reassignment of partition moved-0 is completed.")
        .contains("Clearing broker-level throttles on brokers 1,2,3")
        .contains("Clearing topic-level throttles on topic moved");
    assertThat(tool("GetOffsetShell", "--topic", "moved").strip()).isEqualTo("moved:0:10");
    assertThat(tool("reassign.ReassignPartitionsCommand", "--list"))
        .contains("No partition reassignments found.");
  }

  @Test
  @Order(8)
  void whatLacksANodeIsToldAndItsPartitionsComeBack() throws Exception {
    create("lacking", "3:1:2");
    create("floor", "3:1:2", "min.insync.replicas=3");
    create("lone", "3");
    create("stuck", "1");
    cluster.node(3).kill();
    cluster.await(
        "node 3 to be missed",
        () -> cluster.describe("lacking").partitions().get(0).isr().size() == 2);
    cluster.await(
        "the floor to be missed",
        () -> cluster.describe("floor").partitions().get(0).isr().size() == 2);

    assertThat(problems("--under-replicated-partitions"))
        .contains("Topic: lacking", "Topic: floor", "Topic: compared")
        .doesNotContain("Topic: stuck");
    assertThat(problems("--under-min-isr-partitions"))
        .contains("Topic: floor", "Topic: lone")
        .doesNotContain("Topic: lacking");
    assertThat(problems("--at-min-isr-partitions"))
        .contains("Topic: lacking")
        .doesNotContain("Topic: floor");
    assertThat(problems("--unavailable-partitions").strip())
        .contains("Topic: lone", "Leader: none")
        .doesNotContain("\n");

    aMoveToANodeThatIsDownIsCalledOff();

    cluster.node(3).start();
    cluster.awaitInSync("lacking");
    cluster.awaitInSync("lone");
    assertThat(cluster.describe("lacking").partitions().get(0).leader().id()).isNotEqualTo(3);
    assertThat(elect("preferred", "lacking"))
        .contains("Successfully completed leader election (PREFERRED) for partitions lacking-0");
    assertThat(cluster.describe("lacking").partitions().get(0).leader().id()).isEqualTo(3);
    assertThat(elect("preferred", "lacking"))
        .contains("Valid replica already elected for partitions lacking-0");
  }

  /** Of partition 0. */
  private static String elect(String type, String topic) throws Exception {
    return tool(
        "LeaderElectionCommand", "--election-type", type, "--topic", topic, "--partition", "0");
  }

  /** The tool itself refuses to begin it, so that it had been begun before the node went down. */
  private void aMoveToANodeThatIsDownIsCalledOff() throws Exception {
    String json = reassignment("stuck", "3").toString();
    Ran refused =
        ran("reassign.ReassignPartitionsCommand", "--execute", "--reassignment-json-file", json);
    assertThat(refused.out() + refused.err()).contains("Unknown broker id 3");
    cluster
        .admin()
        .alterPartitionReassignments(
            Map.of(
                new TopicPartition("stuck", 0),
                Optional.of(new NewPartitionReassignment(List.of(3)))))
        .all()
        .get();
    assertThat(tool("reassign.ReassignPartitionsCommand", "--list"))
        .contains("stuck-0: replicas: 3,1. adding: 3. removing: 1.");
    assertThat(
            tool(
                "reassign.ReassignPartitionsCommand", "--verify", "--reassignment-json-file", json))
        .contains("Reassignment of partition stuck-0 is still in progress.");
    assertThat(
            tool(
                "reassign.ReassignPartitionsCommand",
                "--cancel",
                "--preserve-throttles",
                "--reassignment-json-file",
                json))
        .contains("Successfully cancelled partition reassignment for: stuck-0");
    assertThat(tool("reassign.ReassignPartitionsCommand", "--list"))
        .contains("No partition reassignments found.");
  }

  /** Of two replicas the one that was in sync is gone, and the other is elected all the same. */
  @Test
  @Order(9)
  void anUncleanElectionIsAskedFor() throws Exception {
    create("unclean", "3:2", "min.insync.replicas=1");
    cluster.node(2).kill();
    cluster.await(
        "node 2 to leave", () -> cluster.describe("unclean").partitions().get(0).isr().size() == 1);
    write("unclean", 3);
    cluster.node(3).kill();
    cluster.node(2).start();
    cluster.await(
        "node 2 without a leader",
        () ->
            cluster.admin().describeCluster().nodes().get().stream().anyMatch(n -> n.id() == 2)
                && cluster.describe("unclean").partitions().get(0).leader() == null);
    assertThat(elect("unclean", "unclean"))
        .contains("Successfully completed leader election (UNCLEAN) for partitions unclean-0");
    assertThat(cluster.describe("unclean").partitions().get(0).leader().id()).isEqualTo(2);
  }

  @Test
  @Order(10)
  void theDumpToolReadsTheMetadataLogAndASnapshot() throws Exception {
    create("dumped", "1:2");
    cluster.node(1).stop();
    Path folder = cluster.node(1).dataFolder().resolve("__cluster_metadata-0");
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.sorted().toList();
    }
    List<String> segments =
        files.stream().map(Path::toString).filter(name -> name.endsWith(".log")).toList();
    String log = dump(String.join(",", segments));
    assertThat(log).contains("\"type\":\"NO_OP_RECORD\"");
    assertThat(log.lines().filter(line -> line.startsWith("baseOffset")))
        .isNotEmpty()
        .allMatch(line -> line.endsWith("isvalid: true"));
    Path snapshot =
        files.stream()
            .filter(file -> file.toString().endsWith(".checkpoint"))
            .reduce((older, newer) -> newer)
            .orElseThrow();
    String summary = dump(snapshot.toString());
    assertThat(summary)
        .contains("SnapshotHeader", "KRaftVersion", "KRaftVoters", "SnapshotFooter")
        .contains("\"type\":\"REGISTER_BROKER_RECORD\"", "\"type\":\"TOPIC_RECORD\"");
    assertThat(voters(summary)).containsExactly(1, 2, 3);
    assertThat(summary + log).contains("\"name\":\"dumped\"");
  }

  private static String dump(String files) throws Exception {
    String out =
        ToolRun.of("DumpLogSegments", "--cluster-metadata-decoder", "--files", files)
            .requireSuccess()
            .out();
    return assertThat(out).doesNotContain("Could not").doesNotContain("mismatch").actual();
  }

  private static List<Integer> voters(String dump) {
    Matcher voters = Pattern.compile("\"voterId\":(\\d+)").matcher(dump);
    return voters.results().map(one -> Integer.valueOf(one.group(1))).sorted().distinct().toList();
  }
}
