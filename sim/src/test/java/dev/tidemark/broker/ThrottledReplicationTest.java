package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A new replica catches up at the pace that the configs allow (KIP-73). */
class ThrottledReplicationTest {
  /** 2.4 MB, of which a fetch brings about 1 MB. */
  private static final int RECORDS = 30;

  private static final String VALUE = "x".repeat(80_000);

  private static SimCluster withRecords(long seed) throws IOException {
    SimCluster cluster = new SimCluster(seed, 3);
    cluster.create("t", List.of(1), "min.insync.replicas", "1");
    for (int i = 0; i < RECORDS; i++) {
      assertThat(cluster.produceAll(1, "t", VALUE)).isEqualTo(Errors.NONE);
    }
    return cluster;
  }

  private static void rate(SimCluster cluster, String side, @Nullable String bytesPerSecond) {
    String key = side + ".replication.throttled.rate";
    assertThat(cluster.configure(ConfigResource.Type.BROKER, "", key, bytesPerSecond))
        .isEqualTo(Errors.NONE);
  }

  private static void replicas(SimCluster cluster, String side, @Nullable String list) {
    String key = side + ".replication.throttled.replicas";
    assertThat(cluster.configure(ConfigResource.Type.TOPIC, "t", key, list)).isEqualTo(Errors.NONE);
  }

  private static void awaitCaughtUp(SimCluster cluster) {
    cluster.await(() -> cluster.isr("t").containsAll(List.of(1, 2)));
    assertThat(cluster.endOffset(2, "t")).isEqualTo(RECORDS);
  }

  /** Of 2.4 MB the last one leaves when those before it have had their time. */
  @ParameterizedTest
  @CsvSource({"leader, *", "leader, 0:1", "follower, *", "follower, 0:2"})
  void aMoveTakesAsLongAsTheRateMakesIt(String side, String list) throws IOException {
    SimCluster cluster = withRecords(1);
    rate(cluster, side, "200000");
    replicas(cluster, side, list);
    cluster.reassign("t", List.of(1, 2));
    cluster.runForMs(4_500);
    assertThat(cluster.endOffset(2, "t")).isBetween(1L, 14L);
    cluster.runForMs(4_000);
    assertThat(cluster.endOffset(2, "t")).isBetween(15L, 28L);
    awaitCaughtUp(cluster);
  }

  @ParameterizedTest
  @CsvSource({"leader, 0:2", "leader, 1:1", "follower, 0:1", "follower, 1:2"})
  void whatIsNotListedMovesAtOnce(String side, String list) throws IOException {
    SimCluster cluster = withRecords(2);
    rate(cluster, side, "1000");
    replicas(cluster, side, list);
    cluster.reassign("t", List.of(1, 2));
    cluster.runForMs(1_000);
    awaitCaughtUp(cluster);
  }

  @ParameterizedTest
  @CsvSource({"leader", "follower"})
  void aThrottleThatIsLiftedHoldsNobodyBack(String side) throws IOException {
    SimCluster cluster = withRecords(3);
    rate(cluster, side, "1000");
    replicas(cluster, side, "*");
    cluster.reassign("t", List.of(1, 2));
    cluster.runForMs(3_000);
    assertThat(cluster.endOffset(2, "t")).isLessThan(RECORDS);
    rate(cluster, side, null);
    cluster.runForMs(2_500);
    awaitCaughtUp(cluster);
  }

  @ParameterizedTest
  @CsvSource({"leader", "follower"})
  void aTopicThatIsThrottledNoMoreGoesOn(String side) throws IOException {
    SimCluster cluster = withRecords(4);
    rate(cluster, side, "1000");
    replicas(cluster, side, "*");
    cluster.reassign("t", List.of(1, 2));
    cluster.runForMs(3_000);
    assertThat(cluster.endOffset(2, "t")).isLessThan(RECORDS);
    replicas(cluster, side, null);
    cluster.runForMs(2_500);
    awaitCaughtUp(cluster);
  }

  @ParameterizedTest
  @CsvSource({"leader", "follower"})
  void replicasInSyncAreNotThrottled(String side) throws IOException {
    SimCluster cluster = new SimCluster(5, 2);
    cluster.create("t", List.of(1, 2), "min.insync.replicas", "2");
    rate(cluster, side, "1000");
    replicas(cluster, side, "*");
    cluster.runForMs(100);
    for (int i = 0; i < 5; i++) {
      assertThat(cluster.produceAll(1, "t", VALUE)).isEqualTo(Errors.NONE);
    }
    assertThat(cluster.isr("t")).hasSize(2);
  }

  @Test
  void whoStartsKnowsItsThrottleBeforeItFetches() throws IOException {
    SimCluster cluster = withRecords(6);
    rate(cluster, "follower", "1000");
    replicas(cluster, "follower", "0:2");
    cluster.broker(2).kill();
    cluster.broker(2).start();
    cluster.await(() -> cluster.isUnfenced(2));
    cluster.reassign("t", List.of(1, 2));
    cluster.runForMs(4_000);
    assertThat(cluster.endOffset(2, "t")).isBetween(1L, 14L);
  }
}
