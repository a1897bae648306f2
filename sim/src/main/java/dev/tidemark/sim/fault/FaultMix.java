package dev.tidemark.sim.fault;

import dev.tidemark.sim.ClusterNode;
import dev.tidemark.sim.Scheduler;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.SimulatedCluster;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Faults drawn from a seed, one after the other: each lasts a while, is undone, and the cluster has
 * a moment before the next one.
 */
public final class FaultMix {
  private static final long NS_PER_MS = 1_000_000;
  private static final int MAX_PAUSE_MS = 3_000;
  private static final int MAX_DURATION_MS = 6_000;
  private static final int MAX_FREEZE_MS = 14_000;
  private static final int STOP_LIMIT_MS = 30_000;
  private static final int LOOK_MS = 50;
  private static final int MAX_JUMP_MS = 600_000;
  private static final int ELECT_VERSION = 2;
  private static final int ELECT_WAIT_MS = 5_000;

  private final SimulatedCluster cluster;
  private final SeededRandomness randomness;
  private final List<FaultKind> kinds;
  private final Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
  private boolean ended;
  private boolean underWay;

  /** Nothing happens before {@link #begin}. */
  public FaultMix(SimulatedCluster cluster, SeededRandomness randomness, Set<FaultKind> kinds) {
    this.cluster = cluster;
    this.randomness = randomness;
    this.kinds = List.copyOf(new TreeSet<>(kinds));
  }

  /** From now on faults come, until {@link #end}. */
  public void begin() {
    if (!kinds.isEmpty()) {
      pause();
    }
  }

  /** The fault under way is the last one. */
  public void end() {
    ended = true;
  }

  /** Whether none is under way and none will come, after {@link #end}. */
  public boolean isOver() {
    return !underWay;
  }

  /** How many of each kind there were. */
  public Map<FaultKind, Integer> counts() {
    return counts;
  }

  private void pause() {
    underWay = false;
    after(randomness.nextInt(MAX_PAUSE_MS), "next fault", this::inject);
  }

  private void inject() {
    if (ended) {
      return;
    }
    underWay = true;
    FaultKind kind = kinds.get(randomness.nextInt(kinds.size()));
    counts.merge(kind, 1, Integer::sum);
    List<ClusterNode> nodes = shuffled();
    ClusterNode one = nodes.get(0);
    ClusterNode other = nodes.get(1 % nodes.size());
    int durationMs = 1 + randomness.nextInt(MAX_DURATION_MS);
    switch (kind) {
      case KILL -> kill(List.of(one), durationMs);
      case KILL_TWO -> kill(List.of(one, other), durationMs);
      case STOP -> stop(one, durationMs);
      case POWER_LOSS -> powerLoss(one, durationMs);
      case FREEZE -> freeze(one, 1 + randomness.nextInt(MAX_FREEZE_MS));
      case FREEZE_AND_KILL -> freezeAndKill(one, other, durationMs);
      case CUT_TWO -> cut(List.of(link(one, other), link(other, one)), durationMs);
      case CUT_ONE_WAY -> cut(List.of(link(one, other)), durationMs);
      case ISOLATE -> isolate(nodes, durationMs);
      case CLOCK_JUMP -> jump(one);
      case ELECT -> elect(one);
    }
  }

  private List<ClusterNode> shuffled() {
    List<ClusterNode> nodes = new ArrayList<>(cluster.all());
    for (int i = nodes.size() - 1; i > 0; i--) {
      Collections.swap(nodes, i, randomness.nextInt(i + 1));
    }
    return nodes;
  }

  private void after(long delayMs, String what, Runnable work) {
    Scheduler.Event unused = cluster.scheduler.after(delayMs * NS_PER_MS, "faults", what, work);
  }

  private void kill(List<ClusterNode> nodes, int durationMs) {
    nodes.forEach(ClusterNode::kill);
    after(durationMs, "start again", () -> startAgain(nodes));
  }

  private void startAgain(List<ClusterNode> nodes) {
    nodes.forEach(ClusterNode::start);
    pause();
  }

  private void powerLoss(ClusterNode node, int durationMs) {
    node.powerLoss();
    after(durationMs, "power again", () -> startAgain(List.of(node)));
  }

  private void stop(ClusterNode node, int durationMs) {
    if (!node.isReady()) {
      pause();
      return;
    }
    node.stop();
    awaitStop(node, durationMs, STOP_LIMIT_MS);
  }

  /** Who cannot stop in order, for want of a controller, is killed in the end. */
  private void awaitStop(ClusterNode node, int durationMs, int leftMs) {
    if (node.isStopped()) {
      after(durationMs, "start again", () -> startAgain(List.of(node)));
    } else if (leftMs <= 0) {
      kill(List.of(node), durationMs);
    } else {
      after(LOOK_MS, "stopped?", () -> awaitStop(node, durationMs, leftMs - LOOK_MS));
    }
  }

  private void freeze(ClusterNode node, int durationMs) {
    node.machine().freeze();
    after(
        durationMs,
        "wake",
        () -> {
          node.machine().wake();
          pause();
        });
  }

  private void freezeAndKill(ClusterNode frozen, ClusterNode killed, int durationMs) {
    frozen.machine().freeze();
    killed.kill();
    after(
        durationMs,
        "wake and start again",
        () -> {
          frozen.machine().wake();
          startAgain(List.of(killed));
        });
  }

  /** One direction between two hosts. */
  private record Link(String from, String to) {}

  private static Link link(ClusterNode from, ClusterNode to) {
    return new Link(from.host(), to.host());
  }

  private void isolate(List<ClusterNode> nodes, int durationMs) {
    List<Link> links = new ArrayList<>();
    for (ClusterNode other : nodes.subList(1, nodes.size())) {
      links.add(link(nodes.get(0), other));
      links.add(link(other, nodes.get(0)));
    }
    cut(links, durationMs);
  }

  private void cut(List<Link> links, int durationMs) {
    links.forEach(link -> cluster.network.cutOneWay(link.from, link.to));
    after(
        durationMs,
        "heal",
        () -> {
          links.forEach(link -> cluster.network.healOneWay(link.from, link.to));
          pause();
        });
  }

  private void jump(ClusterNode node) {
    node.machine().clock().jumpWallMs(randomness.nextInt(2 * MAX_JUMP_MS) - MAX_JUMP_MS);
    pause();
  }

  private void elect(ClusterNode asked) {
    ElectLeadersRequestData request =
        new ElectLeadersRequestData()
            .setElectionType((byte) 0)
            .setTopicPartitions(null)
            .setTimeoutMs(ELECT_WAIT_MS);
    cluster.send(asked.id(), ClusterNode.PORT, ApiKeys.ELECT_LEADERS, ELECT_VERSION, request);
    pause();
  }
}
