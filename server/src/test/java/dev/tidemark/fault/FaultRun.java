package dev.tidemark.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.process.NodeCluster;
import dev.tidemark.process.NodeUnderTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/**
 * One run: load on three nodes, faults by a seed, and what must hold in the end. Every record that
 * was acknowledged is on every replica exactly once, at the offset that was told, in the order in
 * which its writer sent it; the replicas' files are equal; what a reader saw at an offset is there.
 */
final class FaultRun {
  private static final int NODES = 3;
  private static final int PARTITIONS = 3;
  private static final String TOPIC = "tides";

  private final long seed;
  private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
  private int acknowledged;

  FaultRun(long seed) {
    this.seed = seed;
  }

  /** How often each fault was injected. */
  Map<Fault, Integer> faults() {
    return faults;
  }

  @Override
  public String toString() {
    return "seed %d: %d records acknowledged, faults %s".formatted(seed, acknowledged, faults);
  }

  /** Injects faults for so long, then checks. */
  void run(int seconds) throws Exception {
    try (NodeCluster cluster = NodeCluster.start(NODES)) {
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
    List<Writer> writers = new ArrayList<>();
    Reader reader = new Reader(cluster.bootstrap(), TOPIC, PARTITIONS, "");
    try {
      for (String name : List.of("a", "b")) {
        writers.add(
            new Writer(name, cluster.bootstrap(), TOPIC, PARTITIONS, seed + name.charAt(0)));
      }
      inject(cluster, seconds);
      assignToAll(cluster);
      cluster.awaitInSync(TOPIC);
      for (Writer writer : writers) {
        writer.stop();
      }
    } finally {
      writers.forEach(Writer::abandon);
      reader.stop();
    }
    cluster.awaitInSync(TOPIC);
    cluster.stopAll();
    check(cluster, writers, reader);
  }

  private void inject(NodeCluster cluster, int seconds) throws Exception {
    Random random = new Random(seed);
    List<Fault> next = new ArrayList<>();
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < endNs) {
      if (next.isEmpty()) { // each kind once, in another order every time
        next.addAll(List.of(Fault.values()));
        Collections.shuffle(next, random);
      }
      Fault fault = next.remove(0);
      faults.merge(fault, 1, Integer::sum);
      fault.run(cluster, TOPIC, random);
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

  private void check(NodeCluster cluster, List<Writer> writers, Reader reader) throws Exception {
    for (Writer writer : writers) {
      assertThat(writer.failures()).as("%s", this).isEmpty();
      acknowledged += writer.acknowledged().size();
    }
    assertThat(acknowledged).as("%s", this).isPositive();
    assertThat(reader.violations()).as("%s", this).isEmpty();
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
      checkRecords(partition, replicas.get(0).records(), writers, reader);
    }
  }

  private void checkRecords(
      int partition, List<ReplicaFiles.Stored> records, List<Writer> writers, Reader reader) {
    Map<String, ReplicaFiles.Stored> byKey = new HashMap<>();
    Map<Long, String> keys = new HashMap<>();
    Map<Character, Long> last = new HashMap<>();
    for (ReplicaFiles.Stored record : records) {
      assertThat(byKey.put(record.key(), record))
          .as("%s: partition %d has twice: %s", this, partition, record)
          .isNull();
      assertThat(keys.put(record.offset(), record.key()))
          .as("%s: partition %d has two records at an offset: %s", this, partition, record)
          .isNull();
      long number = Long.parseLong(record.key().substring(2));
      Long before = last.put(record.key().charAt(0), number);
      assertThat(before == null || before < number)
          .as("%s: partition %d has after %s: %s", this, partition, before, record)
          .isTrue();
    }
    for (Writer writer : writers) {
      for (Writer.Acknowledged one : writer.acknowledged()) {
        if (one.partition() == partition) {
          assertThat(keys.get(one.offset()))
              .as("%s: partition %d at offset %d", this, partition, one.offset())
              .isEqualTo(one.key());
        }
      }
    }
    reader
        .seen(partition)
        .forEach(
            (offset, key) ->
                assertThat(keys.get(offset))
                    .as("%s: partition %d at offset %d, as read", this, partition, offset)
                    .isEqualTo(key));
  }
}
