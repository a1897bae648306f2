package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.sim.SeededRandomness;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Errors;

/**
 * A life of a partition with three replicas that a seed determines: writes, fetches whose answers
 * are late or lost, ISR proposals likewise, metadata that reaches brokers at different times,
 * elections, crashes, losses of power.
 *
 * <p>In a clean life leaders are elected from the ISR, and power is lost only where what was
 * promised covers it: on a topic that syncs anywhere, otherwise never by the last that is in sync.
 * Then nothing acknowledged is lost. In an unclean one anybody is elected, but no power is lost:
 * then all that is lost is in a lost tail.
 */
final class ReplicaLife {
  private static final int REPLICAS = 3;
  private static final int MIN_IN_SYNC = 2;
  private static final long LAG_MS = 1000;

  private final SeededRandomness random;
  private final boolean clean;
  private final boolean syncs;
  private final int faultPercent;
  final ReplicaCluster cluster;
  private final Map<Integer, ReplicaCluster.OnItsWay> onTheirWay = new TreeMap<>();
  private final List<Produced> produced = new ArrayList<>();
  private final Map<Integer, List<Produced>> appendedBy = new TreeMap<>();
  private final Map<PartitionReplica, long[]> seen = new HashMap<>();
  private long deletedTo;
  private int values;
  int elections;
  long lostRecords;
  int powerLosses;

  ReplicaLife(long seed, boolean clean) throws Exception {
    this.clean = clean;
    random = new SeededRandomness(seed);
    syncs = random.chance(40);
    faultPercent = random.chance(50) ? 1 : 1 + random.nextInt(8);
    LogSettings settings =
        LogSettings.defaults().withSegmentBytes(600).withFlushMessages(syncs ? 1 : Long.MAX_VALUE);
    cluster =
        new ReplicaCluster(REPLICAS, MIN_IN_SYNC)
            .settings(settings)
            .lag(new LagRule(LAG_MS, Long.MAX_VALUE))
            .start();
    cluster.tellsAtOnce = random.chance(20);
    cluster.controller.holdsProposals = random.chance(70);
  }

  void run(int steps) throws Exception {
    for (int i = 0; i < steps; i++) {
      step();
      checkReaders();
      if (clean && i % 5 == 0) {
        checkLogs();
      }
      leaderless(i);
    }
    heal();
  }

  /** A controller elects as soon as it can; here sometimes only after a while. */
  private void leaderless(int step) {
    int leader = cluster.controller.partition.leaderId();
    if (step % 10 == 0 && (leader < 0 || !cluster.node(leader).isUp())) {
      elect(any());
    }
  }

  private ReplicaNode any() {
    return cluster.node(1 + random.nextInt(REPLICAS));
  }

  private void step() throws Exception {
    ReplicaNode node = any();
    if (!node.isUp() || cluster.controller.broker(node.id).fenced()) {
      if (random.chance(25)) {
        comeBack(node);
      }
    } else if (random.chance(faultPercent)) {
      fault(node);
    } else {
      work(node);
    }
  }

  private void work(ReplicaNode node) throws Exception {
    int kind = random.nextInt(100);
    if (kind < 20) {
      produce(node);
    } else if (kind < 52) {
      ask(node);
    } else if (kind < 78) {
      hear(node);
    } else if (kind < 86) {
      node.work();
    } else if (kind < 93) {
      cluster.tell(node.id);
    } else if (kind < 97) {
      answerProposal();
    } else if (kind < 99) {
      letTimePass();
    } else if (clean) {
      deleteRecords(node);
    }
  }

  private void comeBack(ReplicaNode node) throws Exception {
    if (node.isUp()) {
      cluster.controller.setFenced(node.id, false);
    } else {
      cluster.restart(node.id);
    }
  }

  private void fault(ReplicaNode node) throws Exception {
    switch (random.nextInt(4)) {
      case 0 -> cluster.fence(node.id);
      case 1 -> crash(node);
      default -> elect(node);
    }
  }

  private void produce(ReplicaNode node) throws Exception {
    if (node.role instanceof PartitionLeader) {
      String[] batch = new String[1 + random.nextInt(3)];
      for (int i = 0; i < batch.length; i++) {
        batch[i] = "v" + values++;
      }
      boolean forAll = random.chance(70);
      Produced one = cluster.produce(node.id, forAll, batch);
      if (forAll) {
        produced.add(one); // acks=1 promises nothing
      }
      if (one.baseOffset >= 0) {
        appendedBy.computeIfAbsent(node.id, id -> new ArrayList<>()).add(one);
      }
    }
  }

  private void ask(ReplicaNode node) throws Exception {
    if (!(node.role instanceof PartitionFollower follower)) {
      return;
    }
    if (follower.step() == FollowerStep.FETCH) {
      onTheirWay.put(node.id, cluster.ask(node.id, 100 + random.nextInt(400)));
    } else {
      cluster.fetch(node.id);
    }
  }

  private void hear(ReplicaNode node) throws Exception {
    ReplicaCluster.OnItsWay answer =
        random.chance(10) ? onTheirWay.get(node.id) : onTheirWay.remove(node.id);
    if (answer != null && random.chance(90)) {
      cluster.hear(answer);
    }
  }

  private void answerProposal() {
    if (cluster.controller.waiting() == 0) {
      return;
    }
    switch (random.nextInt(6)) {
      case 0 -> cluster.controller.decideAndAnswer(Errors.REQUEST_TIMED_OUT);
      case 1 -> cluster.controller.refuseNext(Errors.NOT_CONTROLLER);
      default -> cluster.controller.answerNext();
    }
  }

  private void letTimePass() {
    cluster.timers.advanceMs(random.nextInt(800));
    for (ReplicaNode node : cluster.nodes()) {
      if (node.role instanceof PartitionLeader leader) {
        leader.checkInSync();
      }
    }
  }

  private boolean isElectable(ReplicaNode node) {
    return node.isUp()
        && !cluster.controller.broker(node.id).fenced()
        && (!clean || cluster.controller.partition.isr().contains(node.id));
  }

  private void elect(ReplicaNode node) {
    if (isElectable(node)) {
      elections++;
      cluster.elect(node.id);
    }
  }

  private void crash(ReplicaNode node) {
    onTheirWay.remove(node.id);
    List<Integer> isr = cluster.controller.partition.isr();
    boolean covered = clean && (syncs || !isr.equals(List.of(node.id)));
    if (covered && random.chance(50)) {
      powerLosses++;
      cluster.losePower(node.id, random.nextLong());
    } else {
      cluster.kill(node.id);
    }
  }

  private void deleteRecords(ReplicaNode node) throws Exception {
    if (node.role instanceof PartitionLeader leader) {
      long highWatermark = leader.highWatermark();
      long start = leader.log().logStartOffset();
      long newStart = start + random.nextInt((int) (highWatermark - start + 1));
      leader.log().advanceLogStartOffset(newStart, highWatermark);
      deletedTo = Math.max(deletedTo, newStart);
    }
  }

  // --- what must hold ---

  /** No reader of one replica sees the high watermark go back within a leader epoch. */
  private void checkReaders() {
    for (ReplicaNode node : cluster.nodes()) {
      PartitionReplica role = node.role;
      if (role != null) {
        long[] now = {role.leaderEpoch(), role.highWatermark()};
        long[] before = seen.put(role, now);
        boolean lasts = clean || role instanceof PartitionLeader;
        if (lasts && before != null && before[0] == now[0]) {
          assertThat(now[1]).as("high watermark of %d", node.id).isGreaterThanOrEqualTo(before[1]);
        }
        assertThat(now[1]).isBetween(node.log.logStartOffset(), node.log.logEndOffset());
      }
    }
  }

  private void checkLogs() {
    for (ReplicaNode one : cluster.nodes()) {
      for (ReplicaNode other : cluster.nodes()) {
        if (one.id < other.id && one.isUp() && other.isUp()) {
          checkEqual(one, other);
        }
      }
      if (one.role instanceof PartitionLeader leader
          && leader.leaderEpoch() == cluster.controller.partition.leaderEpoch()) {
        checkAcknowledged(one.log, "leader " + one.id);
      }
    }
  }

  private void checkEqual(ReplicaNode one, ReplicaNode other) {
    long end = Math.min(cluster.highWatermark(one.id), cluster.highWatermark(other.id));
    long start = Math.max(one.log.logStartOffset(), other.log.logStartOffset());
    if (start < end) {
      assertThat(StoredRecord.bytes(one.log, start, end))
          .as("%d and %d from %d to %d", one.id, other.id, start, end)
          .isEqualTo(StoredRecord.bytes(other.log, start, end));
    }
  }

  private void checkAcknowledged(PartitionLog log, String where) {
    Map<Long, String> there = new HashMap<>();
    for (StoredRecord record : StoredRecord.below(log, log.logEndOffset())) {
      there.put(record.offset(), record.value());
    }
    for (Produced one : produced) {
      if (one.isAcknowledged()) {
        for (int i = 0; i < one.values.size(); i++) {
          long offset = one.baseOffset + i;
          if (offset >= deletedTo) {
            assertThat(there.get(offset))
                .as("%s at %d", where, offset)
                .isEqualTo(one.values.get(i));
          }
        }
      }
    }
  }

  /** Faults end: all come to agree, all is in sync again, nothing acknowledged is missing. */
  private void heal() throws Exception {
    cluster.controller.holdsProposals = false;
    cluster.tellsAtOnce = true;
    while (cluster.controller.waiting() > 0) {
      cluster.controller.answerNext();
    }
    for (ReplicaNode node : cluster.nodes()) {
      if (!node.isUp()) {
        cluster.restart(node.id);
      }
      cluster.controller.setFenced(node.id, false);
    }
    cluster.tellAll();
    for (ReplicaNode node : cluster.nodes()) {
      if (isElectable(node)) {
        cluster.elect(node.id);
        break;
      }
    }
    for (int i = 0; i < 3; i++) {
      cluster.timers.advanceMs(InSyncSet.METADATA_PAUSE_MS);
      cluster.catchUp();
    }
    checkHealed();
  }

  /** What a leader appended is in its log, or it knows that it is not. */
  private void checkNothingVanished(ReplicaNode node) throws Exception {
    List<StoredRecord> there = StoredRecord.below(node.log, node.log.logEndOffset());
    Set<String> known = new HashSet<>();
    there.forEach(record -> known.add(record.offset() + ":" + record.value()));
    for (LostTail tail : new LostTails(node.log, 1 << 20).all()) {
      byte[] batches = node.log.folder().readAll(tail.file());
      List<StoredRecord> lost = StoredRecord.in(ByteBuffer.wrap(batches));
      assertThat((long) lost.size()).isEqualTo(tail.removed().records());
      lost.forEach(record -> known.add(record.offset() + ":" + record.value()));
      lostRecords += lost.size();
    }
    for (Produced one : appendedBy.getOrDefault(node.id, List.of())) {
      for (int i = 0; i < one.values.size(); i++) {
        assertThat(known).as(this::toString).contains(one.baseOffset + i + ":" + one.values.get(i));
      }
    }
  }

  private void checkHealed() throws Exception {
    ReplicaNode leader = cluster.node(cluster.controller.partition.leaderId());
    assertThat(leader.leader().inSyncReplicas())
        .as(this::toString)
        .containsExactlyInAnyOrder(1, 2, 3);
    for (ReplicaNode node : cluster.nodes()) {
      assertThat(cluster.highWatermark(node.id)).isEqualTo(leader.log.logEndOffset());
      assertThat(cluster.end(node.id)).isEqualTo(leader.log.logEndOffset());
      if (clean) {
        checkAcknowledged(node.log, "broker " + node.id);
      } else {
        checkNothingVanished(node);
      }
      if (node.id != leader.id) {
        checkEqual(leader, node);
      }
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(cluster.controller.partition.toString());
    for (ReplicaNode node : cluster.nodes()) {
      text.append("%n%d: ".formatted(node.id));
      if (node.role instanceof PartitionFollower follower) {
        text.append("follower of ").append(follower.leaderId()).append(' ').append(follower.step());
      } else {
        text.append(node.role == null ? "down" : "leader");
      }
      text.append(
          " offsets %d to %d, high watermark %d, synced to %d, epochs %s, failure %s"
              .formatted(
                  node.log.logStartOffset(),
                  node.log.logEndOffset(),
                  cluster.highWatermark(node.id),
                  node.log.syncedEndOffset(),
                  node.log.epochStarts(),
                  node.log.failure()));
    }
    return text.toString();
  }

  long acknowledged() {
    return produced.stream().filter(Produced::isAcknowledged).count();
  }
}
