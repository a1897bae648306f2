package dev.tidemark.quorum;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.DiskFaults;
import dev.tidemark.sim.DiskFaults.Change;
import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.SeededRandomness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A history of a quorum of three voters and two observers, drawn from a seed: topics are added all
 * along while nodes die, lose power, freeze and are cut off; then all is healed, and must agree.
 */
final class QuorumHistory {
  private static final int VOTERS = 3;
  private static final int OBSERVERS = 2;
  private static final int MOST_BETWEEN_FAULTS_MS = 1_000;
  private static final int MOST_DOWN_MS = 2_000;
  private static final int BETWEEN_APPENDS_MS = 20;

  final QuorumCluster cluster;
  final Map<String, Integer> faults = new TreeMap<>();
  final List<String> acknowledged = new ArrayList<>();
  private final Map<String, Integer> acknowledgedBefore = new TreeMap<>(); // it was asked for
  private final SeededRandomness random;
  private @Nullable QuorumMember losingPower;
  private boolean calm;
  private int nextTopic;

  QuorumHistory(long seed, @Nullable Consumer<String> reader) throws IOException {
    cluster = new QuorumCluster(seed, VOTERS, OBSERVERS, new SnapshotSettings(2_000, 0), reader);
    random = new SeededRandomness(seed).fork("faults");
    cluster.members.forEach(one -> one.machine().disk().faults().failedSyncsDrop(true));
  }

  /** Lets so much time pass with faults, then heals and checks. */
  void run(long ms) {
    cluster.startAll();
    later(BETWEEN_APPENDS_MS, this::appendNext);
    later(2_000, this::nextFault);
    runFor(ms);
    calm = true;
    heal();
    runFor(1_000);
    check();
  }

  /** A loss of power in the middle of a change of the disk ends the event in which it happens. */
  private void runFor(long ms) {
    long endNs = cluster.scheduler.nowNs() + ms * 1_000_000;
    while (cluster.scheduler.nowNs() < endNs) {
      try {
        cluster.scheduler.runForMs((endNs - cluster.scheduler.nowNs() + 999_999) / 1_000_000);
      } catch (PowerWentOff e) {
        QuorumMember victim = requireNonNull(losingPower);
        losingPower = null;
        stop(victim, "power loss in a change", 500, victim::powerLoss);
      }
    }
  }

  private void later(long ms, Runnable event) {
    var unused = cluster.scheduler.after(ms * 1_000_000, "test", "step", event);
  }

  // --- load ---

  private void appendNext() {
    if (calm) {
      return;
    }
    QuorumMember active = cluster.active();
    if (active != null) {
      String topic = "t" + nextTopic++;
      acknowledgedBefore.put(topic, acknowledged.size());
      active.append(
          topic,
          new MetadataLog.Completion() {
            @Override
            public void onCommitted(long lastOffset) {
              acknowledged.add(topic);
            }

            @Override
            public void onFailed(Throwable cause) {
              // It may be there or not.
            }
          });
    }
    later(BETWEEN_APPENDS_MS, this::appendNext);
  }

  // --- faults ---

  private void nextFault() {
    if (calm) {
      return;
    }
    QuorumMember victim = cluster.members.get(random.nextInt(cluster.members.size()));
    QuorumMember active = cluster.active();
    if (active != null && random.chance(40)) {
      victim = active;
    }
    strike(victim);
    cluster.members.stream()
        .filter(QuorumMember::couldNotStart)
        .forEach(member -> later(100, () -> startIfDown(member)));
    later(1L + random.nextInt(MOST_BETWEEN_FAULTS_MS), this::nextFault);
  }

  private void strike(QuorumMember victim) {
    long downMs = 1L + random.nextInt(MOST_DOWN_MS);
    switch (random.nextInt(9)) {
      case 0 -> stop(victim, "kill", downMs, victim::kill);
      case 1 -> stop(victim, "power loss", downMs, victim::powerLoss);
      case 2 -> {
        count("cut");
        cluster.members.forEach(other -> cutUnlessSame(victim, other));
        later(downMs, cluster.network::heal);
      }
      case 3 -> {
        count("cut one way");
        QuorumMember other = cluster.members.get(random.nextInt(cluster.members.size()));
        cluster.network.cutOneWay(victim.host(), other.host());
        later(downMs, cluster.network::heal);
      }
      case 4 -> {
        count("freeze");
        victim.machine().freeze();
        later(downMs, victim.machine()::wake);
      }
      case 5 -> {
        count("disk failure");
        Change change = random.chance(50) ? Change.SYNC : Change.WRITE;
        victim.machine().disk().faults().failNext(change, random.nextInt(3));
      }
      case 6 -> {
        if (losingPower == null) {
          DiskFaults disk = victim.machine().disk().faults();
          disk.powerOffAt(disk.changes() + random.nextInt(20));
          losingPower = victim;
        }
      }
      case 7 -> {
        count("resign");
        victim.run(() -> victim.log().resign());
      }
      default -> {
        if (random.chance(30)) {
          count("power loss of all");
          cluster.members.forEach(one -> stop(one, "power loss", downMs, one::powerLoss));
        }
      }
    }
  }

  private void cutUnlessSame(QuorumMember one, QuorumMember other) {
    if (one.id() != other.id()) {
      cluster.network.cut(one.host(), other.host());
    }
  }

  private void stop(QuorumMember victim, String how, long downMs, Runnable end) {
    if (victim.isRunning()) {
      count(how);
      end.run();
      later(downMs, () -> startIfDown(victim));
    }
  }

  private static void startIfDown(QuorumMember member) {
    if (!member.isRunning()) {
      member.start();
    }
  }

  private void count(String fault) {
    faults.merge(fault, 1, Integer::sum);
  }

  private void heal() {
    cluster.network.heal();
    for (QuorumMember member : cluster.members) {
      member.machine().disk().faults().powerOffAt(-1);
      member.machine().disk().faults().failNext(Change.WRITE, -1);
      member.machine().wake();
      startIfDown(member);
    }
  }

  // --- the end ---

  private void check() {
    QuorumMember active = cluster.awaitActive();
    assertThat(cluster.append(active, "last", 10_000)).as("the quorum works again").isTrue();
    List<String> all = cluster.truth.topics();
    assertThat(cluster.awaitTopics(all)).as("all members agree").isTrue();
    assertThat(all).doesNotHaveDuplicates().endsWith("last").containsAll(acknowledged);
    checkOrder(all);
    long leading = cluster.members.stream().filter(QuorumMember::isActive).count();
    assertThat(leading).as("active members").isEqualTo(1);
  }

  /**
   * What was acknowledged before something was asked for lies before it. No more: a leader that was
   * frozen learns late that its last append was committed, and acknowledges it after its successor
   * has acknowledged what came behind it.
   */
  private void checkOrder(List<String> all) {
    Map<String, Integer> places = new TreeMap<>();
    all.forEach(topic -> places.put(topic, places.size()));
    List<Integer> highestOfFirst = new ArrayList<>(List.of(-1)); // by how many acknowledged
    for (String topic : acknowledged) {
      int place = requireNonNull(places.get(topic));
      highestOfFirst.add(Math.max(highestOfFirst.get(highestOfFirst.size() - 1), place));
    }
    acknowledgedBefore.forEach(
        (topic, count) ->
            assertThat(places.getOrDefault(topic, Integer.MAX_VALUE))
                .as("place of %s, asked for after %s were acknowledged", topic, count)
                .isGreaterThan(highestOfFirst.get(count)));
  }
}
