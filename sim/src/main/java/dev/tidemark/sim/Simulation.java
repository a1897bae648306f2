package dev.tidemark.sim;

import dev.tidemark.sim.check.PartitionHistory;
import dev.tidemark.sim.check.ReplicaLog;
import dev.tidemark.sim.check.StoredRecord;
import dev.tidemark.sim.fault.FaultKind;
import dev.tidemark.sim.fault.FaultMix;
import dev.tidemark.sim.load.LeaderWatch;
import dev.tidemark.sim.load.Reader;
import dev.tidemark.sim.load.Writer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A whole cluster under clients and faults, from a seed: nodes that are brokers and voters, two
 * idempotent writers, a reader, and a watch that asks all nodes who leads. In the end all is
 * healed; then every partition must have its full ISR, equal logs, and what its clients were told,
 * within a bounded virtual time.
 */
public final class Simulation {
  /** Partitions of the one topic, each with a replica on up to three nodes. */
  static final int PARTITIONS = 3;

  private static final String TOPIC = "tides";
  private static final int REPLICAS = 3;
  private static final int METADATA_VERSION = 12;
  private static final long MS_PER_S = 1_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final long HEALED_WITHIN_MS = 90_000;
  private static final long LOOK_MS = 50;
  private static final String LAG_MS = "5000";

  private final long seed;
  private final Plan plan;
  private final @Nullable Consumer<String> lines;
  private final List<PartitionHistory> histories = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private Map<FaultKind, Integer> faults = Map.of();

  /**
   * How a run is to be.
   *
   * @param nodes 3 or more
   * @param seconds of virtual time with faults, 1 or more
   * @param kinds which faults may come
   */
  public record Plan(int nodes, int seconds, Set<FaultKind> kinds) {}

  /**
   * What came of a run.
   *
   * @param violations what must not have been; empty if all held
   * @param virtualMs how long it took in virtual time
   * @param hash of all that happened
   */
  public record Outcome(
      long seed,
      List<String> violations,
      Map<FaultKind, Integer> faults,
      int acknowledged,
      int answers,
      long virtualMs,
      long events,
      long hash) {}

  /**
   * A run that has not begun.
   *
   * @param lines gets a line for each event; null for none, which is much faster
   */
  public Simulation(long seed, Plan plan, @Nullable Consumer<String> lines) {
    this.seed = seed;
    this.plan = plan;
    this.lines = lines;
    for (int i = 0; i < PARTITIONS; i++) {
      histories.add(new PartitionHistory(i));
    }
  }

  /** Runs it to its end. */
  public Outcome run() {
    SimulatedCluster cluster = new SimulatedCluster(seed, lines);
    try {
      runOn(cluster);
    } catch (IOException | RuntimeException | AssertionError e) {
      StringWriter text = new StringWriter();
      e.printStackTrace(new PrintWriter(text));
      violations.add("an event failed: " + text);
    }
    cluster.failures().forEach(failure -> violations.add("a node failed: " + failure));
    Scheduler scheduler = cluster.scheduler;
    return new Outcome(
        seed,
        List.copyOf(violations),
        faults,
        histories.stream().mapToInt(PartitionHistory::acknowledged).sum(),
        histories.stream().mapToInt(PartitionHistory::answers).sum(),
        scheduler.nowNs() / NS_PER_MS,
        scheduler.trace().events(),
        scheduler.trace().hash());
  }

  private void runOn(SimulatedCluster cluster) throws IOException {
    cluster
        .formatted(
            Collections.nCopies(plan.nodes, "broker,controller"),
            Map.of("replica.lag.time.max.ms", LAG_MS))
        .startAll();
    Errors created = cluster.create(1, TOPIC, PARTITIONS, REPLICAS);
    if (created != Errors.NONE) {
      throw new IllegalStateException("the topic was not created: " + created);
    }
    List<Writer> writers =
        List.of(
            new Writer(cluster, "a", TOPIC, histories), new Writer(cluster, "b", TOPIC, histories));
    Reader reader = new Reader(cluster, "reader", TOPIC, histories);
    new LeaderWatch(cluster, TOPIC, histories);
    FaultMix mix = new FaultMix(cluster, cluster.randomness("faults"), plan.kinds);
    faults = mix.counts();
    mix.begin();
    cluster.scheduler.runForMs(plan.seconds * MS_PER_S);
    mix.end();
    if (heals(cluster, mix, writers)) {
      compare(cluster, reader);
    }
  }

  /** Faults end; then all must come back within a bounded time. */
  private boolean heals(SimulatedCluster cluster, FaultMix mix, List<Writer> writers) {
    boolean healed =
        reached(cluster, "the end of the last fault", mix::isOver)
            && reached(
                cluster,
                "all nodes to be ready",
                () -> cluster.all().stream().allMatch(ClusterNode::isReady))
            && reached(cluster, "full ISRs", () -> isFullyInSync(cluster));
    writers.forEach(Writer::stop);
    return healed
        && reached(
            cluster,
            "the end of what was written",
            () -> writers.stream().allMatch(Writer::isIdle));
  }

  /** Looks now and then, as looking may take requests of its own. */
  private boolean reached(SimulatedCluster cluster, String what, BooleanSupplier condition) {
    long endNs = cluster.scheduler.nowNs() + HEALED_WITHIN_MS * NS_PER_MS;
    while (!condition.getAsBoolean()) {
      if (cluster.scheduler.nowNs() > endNs) {
        violations.add("waited in vain for " + what);
        return false;
      }
      cluster.scheduler.runForMs(LOOK_MS);
    }
    return true;
  }

  private static boolean isFullyInSync(SimulatedCluster cluster) {
    var answer =
        (MetadataResponseData) cluster.tryCall(1, ApiKeys.METADATA, METADATA_VERSION, all());
    var topic = answer == null ? null : answer.topics().find(TOPIC);
    if (topic == null || topic.partitions().size() != PARTITIONS) {
      return false;
    }
    for (MetadataResponsePartition one : topic.partitions()) {
      if (one.leaderId() < 0 || one.isrNodes().size() != one.replicaNodes().size()) {
        return false;
      }
    }
    return true;
  }

  private static MetadataRequestData all() {
    return new MetadataRequestData().setTopics(null);
  }

  private void compare(SimulatedCluster cluster, Reader reader) throws IOException {
    var topic = cluster.metadata(1, TOPIC).topics().find(TOPIC);
    for (MetadataResponsePartition one : topic.partitions()) {
      int partition = one.partitionIndex();
      List<Integer> replicas = one.replicaNodes();
      if (reached(
          cluster,
          "equal logs of partition " + partition,
          () -> isEqual(cluster, partition, replicas))) {
        List<StoredRecord> records = StoredRecord.of(log(cluster, partition, replicas.get(0)));
        long end = records.isEmpty() ? 0 : records.get(records.size() - 1).offset() + 1;
        boolean unused =
            reached(
                cluster,
                "the reader at the end of partition " + partition,
                () -> reader.position(partition) >= end);
        violations.addAll(histories.get(partition).verify(records));
      }
    }
  }

  private static boolean isEqual(SimulatedCluster cluster, int partition, List<Integer> replicas) {
    ByteBuffer first = log(cluster, partition, replicas.get(0));
    return replicas.stream().allMatch(id -> log(cluster, partition, id).equals(first));
  }

  private static ByteBuffer log(SimulatedCluster cluster, int partition, int nodeId) {
    try {
      return ReplicaLog.read(cluster.node(nodeId).folder(), TOPIC, partition);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
