package dev.tidemark.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.process.LinkedNetwork;
import dev.tidemark.process.NodeCluster;
import dev.tidemark.process.NodeUnderTest;
import dev.tidemark.sim.check.PartitionHistory;
import dev.tidemark.sim.check.StoredRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One run: load on three nodes, faults by a seed, and what must hold in the end. Every record that
 * was acknowledged is on every replica exactly once, at the offset that was told, in the order in
 * which its writer sent it; the replicas' files are equal; what a reader saw at an offset is there;
 * no end of a partition went back; no two nodes answered as leader in one epoch or at one time.
 */
final class FaultRun {
  private static final int NODES = 3;
  private static final int PARTITIONS = 3;
  private static final String TOPIC = "tides";
  static final boolean WITH_CUTS = LinkedNetwork.isPossible();

  private final long seed;
  private final Map<String, Integer> kinds = new TreeMap<>();
  private @Nullable Load load;

  FaultRun(long seed) {
    this.seed = seed;
  }

  /** How often what was done to the cluster, by {@link Injection#kind}. */
  Map<String, Integer> kinds() {
    return kinds;
  }

  @Override
  public String toString() {
    return "seed %d: %s, faults %s%s"
        .formatted(
            seed, load, kinds, WITH_CUTS ? "" : "; no cuts: this system has only one loopback");
  }

  /** Injects faults for so long, then checks. */
  void run(int seconds) throws Exception {
    try (NodeCluster cluster =
        WITH_CUTS ? NodeCluster.startLinked(NODES) : NodeCluster.start(NODES)) {
      cluster
          .admin()
          .createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) NODES)))
          .all()
          .get();
      cluster.awaitInSync(TOPIC);
      try {
        runOn(cluster, seconds);
      } catch (Throwable e) {
        throw new AssertionError(this + "\n" + cluster.logs(), e);
      }
    }
  }

  private void runOn(NodeCluster cluster, int seconds) throws Exception {
    Load started = new Load(cluster, TOPIC, PARTITIONS, seed);
    load = started;
    try {
      inject(cluster, started, seconds);
      assignToAll(cluster);
      cluster.awaitInSync(TOPIC);
      started.stopWriting();
    } finally {
      started.end();
    }
    cluster.awaitInSync(TOPIC);
    cluster.stopAll();
    check(cluster, started);
  }

  private void inject(NodeCluster cluster, Load load, int seconds) throws Exception {
    Random random = new Random(seed);
    List<Injection> next = new ArrayList<>();
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < endNs) {
      if (next.isEmpty()) {
        next.addAll(Injection.round(random, WITH_CUTS));
      }
      Injection injection = next.remove(0);
      kinds.merge(injection.kind(), 1, Integer::sum);
      injection.run(cluster, TOPIC, random);
      load.keepUp();
      Fault.pause(random, 3000);
    }
  }

  /** Reassignments may have left two replicas only. */
  private static void assignToAll(NodeCluster cluster) throws Exception {
    cluster.awaitBrokers();
    Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      moves.put(
          new TopicPartition(TOPIC, i),
          Optional.of(new NewPartitionReassignment(List.of(1, 2, 3))));
    }
    cluster.admin().alterPartitionReassignments(moves).all().get();
  }

  private void check(NodeCluster cluster, Load load) throws Exception {
    assertThat(load.violations()).as("%s", this).isEmpty();
    assertThat(load.acknowledged()).as("%s", this).isNotEmpty();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<ReplicaFiles> replicas = new ArrayList<>();
      for (NodeUnderTest node : cluster.nodes()) {
        replicas.add(ReplicaFiles.read(node, TOPIC, partition));
      }
      for (ReplicaFiles replica : replicas) {
        assertThat(replica.bytes().equals(replicas.get(0).bytes()))
            .as("%s: partition %d: node %d has what node 1 has", this, partition, replica.nodeId())
            .isTrue();
      }
      checkRecords(partition, replicas.get(0).records(), load);
    }
  }

  private void checkRecords(int partition, List<StoredRecord> records, Load load) {
    PartitionHistory history = new PartitionHistory(partition);
    for (Writer.Acknowledged one : load.acknowledged()) {
      if (one.partition() == partition) {
        history.acknowledged(one.offset(), one.key());
      }
    }
    load.seen(partition).forEach(seen -> seen.forEach(history::seen));
    assertThat(history.verify(records)).as("%s", this).isEmpty();
  }
}
