package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** A seed is a whole history of a cluster, whichever process it runs in. */
class ClusterReplayTest {
  private static final int PROCESSES = 2;
  private static final String BOTH = "broker,controller";
  private static final String TOPIC = "t";
  private static final int WRITING_MS = 300;
  private static final String SHORTER_LAG_MS = "5000";

  /**
   * Writes to a replicated topic whose leader is killed and comes back; the trace of every frame
   * goes into the hash.
   */
  private static long hash(long seed, List<String> lines) throws IOException {
    SimulatedCluster cluster =
        new SimulatedCluster(seed, lines::add)
            .formatted(List.of(BOTH, BOTH, BOTH), Map.of("replica.lag.time.max.ms", SHORTER_LAG_MS))
            .startAll();
    assertThat(cluster.create(1, TOPIC, 3, 3)).isEqualTo(Errors.NONE);
    int leader = leader(cluster, 1);
    int survivor = leader == 1 ? 2 : 1;
    write(cluster, leader, seed);
    cluster.node(leader).kill();
    cluster.await(
        "another leader",
        () -> leader(cluster, survivor) != leader && leader(cluster, survivor) > 0);
    int next = leader(cluster, survivor);
    write(cluster, next, seed + 1);
    cluster.node(leader).start();
    cluster.awaitReady();
    cluster.await("all in sync", () -> isr(cluster, next).size() == 3);
    return cluster.scheduler.trace().hash();
  }

  private static void write(SimulatedCluster cluster, int leader, long seed) {
    SimNode machine = new SimNode("writer-" + leader, cluster.network, seed, 0, 0);
    SimulatedProducer producer =
        new SimulatedProducer(machine, cluster.network, cluster.node(leader).host(), TOPIC);
    cluster.scheduler.runForMs(WRITING_MS);
    assertThat(producer.offsets()).isNotEmpty();
    machine.kill();
  }

  private static int leader(SimulatedCluster cluster, int asked) {
    return cluster.metadata(asked, TOPIC).topics().find(TOPIC).partitions().stream()
        .filter(one -> one.partitionIndex() == 0)
        .findFirst()
        .orElseThrow()
        .leaderId();
  }

  private static List<Integer> isr(SimulatedCluster cluster, int asked) {
    return cluster.metadata(asked, TOPIC).topics().find(TOPIC).partitions().stream()
        .filter(one -> one.partitionIndex() == 0)
        .findFirst()
        .orElseThrow()
        .isrNodes();
  }

  @Test
  void theSameSeedGivesTheSameRunInOtherProcesses() throws Exception {
    List<String> lines = new ArrayList<>();
    long hash = hash(3, lines);
    for (int i = 0; i < PROCESSES; i++) {
      assertThat(OtherProcess.lastLineOf(ClusterReplayTest.class, "3"))
          .isEqualTo(String.valueOf(hash));
    }
    assertThat(hash(4, new ArrayList<>())).isNotEqualTo(hash);
  }

  /** Prints the trace hash of the history of a seed, and with a second argument every event. */
  public static void main(String[] args) throws IOException {
    List<String> lines = new ArrayList<>();
    long hash = hash(Long.parseLong(args[0]), lines);
    if (args.length > 1) {
      lines.forEach(System.out::println);
    }
    System.out.println(hash);
  }
}
