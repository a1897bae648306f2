package dev.tidemark.quorum;

import dev.tidemark.sim.Scheduler;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.Trace;
import dev.tidemark.sim.VirtualNetwork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Voters and observers in virtual time, over a virtual network and virtual disks. */
final class QuorumCluster {
  private static final long WALL_MS = 1_700_000_000_000L;
  private static final String CLUSTER = "cluster";

  final Scheduler scheduler;
  final VirtualNetwork network;
  final List<QuorumMember> members = new ArrayList<>();
  final QuorumTruth truth = new QuorumTruth();
  private final List<QuorumVoter> voters = new ArrayList<>();

  QuorumCluster(long seed, int voterCount, int observerCount) throws IOException {
    this(seed, voterCount, observerCount, SnapshotSettings.DEFAULTS, null);
  }

  /**
   * Formats the machines; nothing runs yet. Voters have the ids from 1 on, observers follow.
   *
   * @param reader gets a line for each event; null for the hash alone
   */
  QuorumCluster(
      long seed,
      int voterCount,
      int observerCount,
      SnapshotSettings snapshots,
      @Nullable Consumer<String> reader)
      throws IOException {
    scheduler = new Scheduler(new Trace(reader));
    network = new VirtualNetwork(scheduler, seed);
    List<QuorumAddress> bootstrap = new ArrayList<>();
    for (int id = 1; id <= voterCount; id++) {
      QuorumAddress address = new QuorumAddress("n" + id, QuorumMember.PORT);
      bootstrap.add(address);
      voters.add(new QuorumVoter(id, QuorumMember.directoryId(id), address));
    }
    for (int id = 1; id <= voterCount + observerCount; id++) {
      boolean votes = id <= voterCount;
      int driftPpm = 100 * (id % 3 - 1);
      SimNode machine = new SimNode("n" + id, network, seed, WALL_MS, driftPpm);
      QuorumSettings settings =
          new QuorumSettings(
              id,
              QuorumMember.directoryId(id),
              CLUSTER,
              QuorumMember.LISTENER,
              new QuorumAddress("n" + id, QuorumMember.PORT),
              bootstrap,
              votes,
              QuorumTimeouts.DEFAULTS,
              snapshots);
      QuorumMember member = new QuorumMember(machine, network, settings, truth);
      member.folder().create();
      if (votes) {
        QuorumBootstrap.write(member.folder(), voters, QuorumMember.LISTENER, WALL_MS);
      }
      members.add(member);
    }
  }

  QuorumMember member(int id) {
    return members.get(id - 1);
  }

  void startAll() {
    members.forEach(QuorumMember::start);
  }

  /** The member that is active in the highest epoch; null without one. */
  @Nullable QuorumMember active() {
    QuorumMember newest = null;
    int newestEpoch = -1;
    for (QuorumMember member : members) {
      if (member.isActive()) {
        int epoch = member.heard().get(member.heard().size() - 1).epoch();
        if (epoch > newestEpoch) {
          newest = member;
          newestEpoch = epoch;
        }
      }
    }
    return newest;
  }

  /** Lets time pass until a member is active. */
  QuorumMember awaitActive() {
    return awaitActiveOtherThan(0);
  }

  /** Lets time pass until a member with another id is active. */
  QuorumMember awaitActiveOtherThan(int id) {
    boolean came =
        scheduler.runUntil(
            () -> {
              QuorumMember active = active();
              return active != null && active.id() != id;
            },
            20_000);
    QuorumMember active = active();
    if (!came || active == null) {
      throw new AssertionError("no other member than " + id + " became active in 20 s");
    }
    return active;
  }

  /** Appends on a member and lets time pass until the end is known; true if it committed. */
  boolean append(QuorumMember on, String topic, long limitMs) {
    Boolean[] committed = {null};
    on.append(
        topic,
        new MetadataLog.Completion() {
          @Override
          public void onCommitted(long lastOffset) {
            committed[0] = true;
          }

          @Override
          public void onFailed(Throwable cause) {
            committed[0] = false;
          }
        });
    boolean unused = scheduler.runUntil(() -> committed[0] != null, limitMs);
    return committed[0] != null && committed[0];
  }

  /** Lets time pass until all members that run were told of exactly these topics. */
  boolean awaitTopics(List<String> expected) {
    return scheduler.runUntil(
        () ->
            members.stream()
                .filter(QuorumMember::isRunning)
                .allMatch(member -> member.topics().equals(expected)),
        20_000);
  }
}
