package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Whole nodes form a cluster in virtual time. */
class ClusterTest {
  private static final String BOTH = "broker,controller";
  private static final List<String> THREE = List.of(BOTH, BOTH, BOTH);
  private static final List<String> ONE_VOTER = List.of(BOTH, "broker", "broker");

  private static SimulatedCluster started(long seed, List<String> roles) throws IOException {
    return new SimulatedCluster(seed, line -> {}).formatted(roles, Map.of()).startAll();
  }

  private static int otherThan(int id) {
    return id == 1 ? 2 : 1;
  }

  @Test
  void threeVotersFormAQuorumAndAllBrokersRegister() throws IOException {
    SimulatedCluster cluster = started(1, THREE);

    for (int id = 1; id <= 3; id++) {
      assertThat(cluster.metadata(id).brokers())
          .extracting(MetadataResponseData.MetadataResponseBroker::nodeId)
          .containsExactlyInAnyOrder(1, 2, 3);
    }
    assertThat(cluster.controller(1))
        .isBetween(1, 3)
        .isEqualTo(cluster.controller(2))
        .isEqualTo(cluster.controller(3));
    assertThat(cluster.failures()).isEmpty();
  }

  @Test
  void aTopicIsCreatedAtABrokerThatIsNotTheController() throws IOException {
    SimulatedCluster cluster = started(2, THREE);
    int other = otherThan(cluster.controller(1));

    assertThat(cluster.create(other, "t", 6, 1)).isEqualTo(Errors.NONE);
    assertThat(cluster.create(other, "t", 6, 1)).isEqualTo(Errors.TOPIC_ALREADY_EXISTS);

    assertThat(cluster.metadata(other, "t").topics().find("t").partitions())
        .hasSize(6)
        .extracting(MetadataResponseData.MetadataResponsePartition::leaderId)
        .contains(1, 2, 3);
  }

  @Test
  void aTopicThatIsUsedAtABrokerThatIsNotTheControllerIsThereInTheAnswer() throws IOException {
    SimulatedCluster cluster = started(3, THREE);
    int other = otherThan(cluster.controller(1));

    MetadataResponseData.MetadataResponseTopic topic =
        cluster.metadata(other, "used").topics().find("used");

    assertThat(Errors.forCode(topic.errorCode())).isEqualTo(Errors.NONE);
    assertThat(topic.partitions()).hasSize(1);
  }

  @Test
  void anotherControllerTakesOverFromOneThatIsKilledAndBrokersGoOn() throws IOException {
    SimulatedCluster cluster = started(4, THREE);
    int first = cluster.controller(1);
    cluster.node(first).kill();
    int survivor = otherThan(first);

    assertThat(cluster.create(survivor, "after", 4, 1)).isEqualTo(Errors.NONE);

    assertThat(cluster.controller(survivor)).isNotEqualTo(first);
    cluster.await(
        "the dead one to be fenced",
        () ->
            cluster.metadata(survivor).brokers().stream()
                .noneMatch(broker -> broker.nodeId() == first));
    cluster.node(first).start();
    cluster.awaitReady();
    assertThat(cluster.metadata(first, "after").topics().find("after").partitions()).hasSize(4);
    assertThat(cluster.failures()).isEmpty();
  }

  @Test
  void brokersJoinASingleVoter() throws IOException {
    SimulatedCluster cluster = started(5, ONE_VOTER);

    assertThat(cluster.controller(3)).isEqualTo(1);
    assertThat(cluster.create(2, "t", 3, 3)).isEqualTo(Errors.NONE);
    assertThat(cluster.metadata(3).brokers()).hasSize(3);
  }

  @Test
  void aKilledBrokerIsFencedAtOnceBecauseNobodyServesThere() throws IOException {
    SimulatedCluster cluster = started(6, ONE_VOTER);
    cluster.node(3).kill();
    long killedMs = cluster.scheduler.nowNs() / 1_000_000;

    cluster.await("it to be fenced", () -> cluster.metadata(1).brokers().size() == 2);

    assertThat(cluster.scheduler.nowNs() / 1_000_000 - killedMs).isLessThan(1_500);
    cluster.node(3).start();
    cluster.awaitReady();
    assertThat(cluster.metadata(1).brokers()).hasSize(3);
  }

  @Test
  void aBrokerThatStopsHandsItsPartitionsOverFirst() throws IOException {
    SimulatedCluster cluster = started(7, ONE_VOTER);
    assertThat(cluster.create(1, "t", 3, 1)).isEqualTo(Errors.NONE);

    cluster.node(2).stop();
    cluster.await("the stop", () -> cluster.node(2).isStopped());

    assertThat(cluster.metadata(1).brokers())
        .extracting(MetadataResponseData.MetadataResponseBroker::nodeId)
        .containsExactlyInAnyOrder(1, 3);
    cluster.node(2).start();
    cluster.awaitReady();
    cluster.await( // node 3 hears of it a moment later than node 2
        "node 2 to lead again",
        () ->
            cluster.metadata(3, "t").topics().find("t").partitions().stream()
                .anyMatch(partition -> partition.leaderId() == 2));
    assertThat(cluster.failures()).isEmpty();
  }

  @Test
  void aTopicThatIsDeletedWhileABrokerIsDownLeavesItsFolderWhenThatIsBack() throws IOException {
    SimulatedCluster cluster = started(12, ONE_VOTER);
    assertThat(cluster.create(1, "t", 1, 3)).isEqualTo(Errors.NONE);
    assertThat(cluster.create(1, "kept", 1, 3)).isEqualTo(Errors.NONE);
    cluster.await("the folders", () -> foldersOf(cluster, 3).contains("t-0"));
    cluster.node(3).kill();

    cluster.delete(1, "t");
    cluster.node(3).start();
    cluster.awaitReady();

    assertThat(foldersOf(cluster, 3)).doesNotContain("t-0").contains("kept-0");
    cluster.scheduler.runForMs(61_000);
    assertThat(foldersOf(cluster, 3)).noneMatch(name -> name.startsWith("t-0"));
  }

  private static List<String> foldersOf(SimulatedCluster cluster, int node) {
    try {
      return cluster.node(node).folder().list();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void controllersAndBrokersMayBeApart() throws IOException {
    SimulatedCluster cluster =
        started(8, List.of("controller", "controller", "controller", "broker", "broker"));

    assertThat(cluster.create(4, "t", 2, 2)).isEqualTo(Errors.NONE);
    assertThat(cluster.controller(5)).isBetween(1, 3);
    cluster.node(cluster.controller(5)).kill();
    assertThat(cluster.create(5, "u", 2, 2)).isEqualTo(Errors.NONE);
    assertThat(cluster.metadata(4).brokers()).hasSize(2);
  }

  @Test
  void theSameSeedGivesTheSameRunAndAnotherOneAnother() throws IOException {
    List<String> lines = new ArrayList<>();
    long hash = life(9, lines);
    List<String> firstRun = List.copyOf(lines);
    lines.clear();
    long again = life(9, lines);

    assertThat(lines).isEqualTo(firstRun);
    assertThat(again).isEqualTo(hash);
    assertThat(life(10, new ArrayList<>())).isNotEqualTo(hash);
  }

  private static long life(long seed, List<String> lines) throws IOException {
    SimulatedCluster cluster =
        new SimulatedCluster(seed, lines::add).formatted(THREE, Map.of()).startAll();
    int first = cluster.controller(1);
    assertThat(cluster.create(otherThan(first), "t", 3, 1)).isEqualTo(Errors.NONE);
    cluster.node(first).kill();
    assertThat(cluster.create(otherThan(first), "u", 3, 1)).isEqualTo(Errors.NONE);
    cluster.node(first).start();
    cluster.awaitReady();
    return cluster.scheduler.trace().hash();
  }
}
