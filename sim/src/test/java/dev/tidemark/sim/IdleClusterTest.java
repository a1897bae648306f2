package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a cluster in which nothing happens writes to its metadata log, in virtual time. */
class IdleClusterTest {
  private static final String BOTH = "broker,controller";
  private static final long MINUTE_MS = 60_000;

  /** Starts the nodes at odd times, so that nothing makes their heartbeats meet. */
  private static SimulatedCluster started(long seed, List<String> roles) throws IOException {
    SimulatedCluster cluster = new SimulatedCluster(seed, line -> {}).formatted(roles, Map.of());
    for (int id = 1; id <= roles.size(); id++) {
      cluster.node(id).start();
      cluster.scheduler.runForMs(2_600);
    }
    cluster.awaitReady();
    return cluster;
  }

  private static long recordsInAMinute(SimulatedCluster cluster) {
    cluster.scheduler.runForMs(10_000);
    long before = cluster.metadataEnd(1);
    cluster.scheduler.runForMs(MINUTE_MS);
    return cluster.metadataEnd(1) - before;
  }

  @Test
  void one_record_in_an_interval_answers_the_heartbeats_of_all_voters() throws IOException {
    SimulatedCluster cluster = started(1, List.of(BOTH, BOTH, BOTH));

    assertThat(recordsInAMinute(cluster)).isBetween(15L, 31L);
    assertThat(cluster.metadata(1).brokers()).hasSize(3);
    assertThat(cluster.failures()).isEmpty();
  }

  @Test
  void one_record_in_an_interval_answers_the_heartbeats_of_many_brokers() throws IOException {
    SimulatedCluster cluster =
        started(2, List.of(BOTH, "broker", "broker", "broker", "broker", "broker"));

    assertThat(recordsInAMinute(cluster)).isBetween(15L, 31L);
    assertThat(cluster.metadata(1).brokers()).hasSize(6);
    assertThat(cluster.failures()).isEmpty();
  }

  @Test
  void they_meet_again_under_another_controller() throws IOException {
    SimulatedCluster cluster = started(3, List.of(BOTH, BOTH, BOTH));
    int first = cluster.controller(1);
    cluster.node(first).kill();
    cluster.scheduler.runForMs(20_000);
    cluster.node(first).start();
    cluster.awaitReady();

    assertThat(recordsInAMinute(cluster)).isBetween(15L, 31L);
    assertThat(cluster.failures()).isEmpty();
  }
}
