package dev.tidemark.replica;

import dev.tidemark.log.AppendResult;
import dev.tidemark.log.Batches;
import dev.tidemark.log.ClientBatch;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.log.RefusedAppend;
import dev.tidemark.protocol.InflationBudget;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * The replicas of one partition on brokers 1 to n, each on a disk of its own, and a controller.
 * Nothing happens by itself: a test takes every step by hand. Broker 1 leads at first, all are in
 * sync.
 */
final class ReplicaCluster {
  static final LogId ID = new LogId("events", 0, new Uuid(7, 8));
  private static final int MAX_BYTES = 1 << 20;

  final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  final VirtualTimers timers = new VirtualTimers(clock);
  final ControllerStub controller;
  private final TreeMap<Integer, ReplicaNode> nodes = new TreeMap<>();
  private final int replicas;
  private int minInSync;
  private LogSettings settings = LogSettings.defaults();
  private LagRule lag = LagRule.defaults();

  ReplicaCluster(int replicas, int minInSync) {
    this.replicas = replicas;
    this.minInSync = minInSync;
    this.controller = new ControllerStub(1, IntStream.rangeClosed(1, replicas).boxed().toList());
  }

  ReplicaCluster settings(LogSettings newSettings) {
    settings = newSettings;
    return this;
  }

  ReplicaCluster lag(LagRule newLag) {
    lag = newLag;
    return this;
  }

  ReplicaCluster start() throws IOException {
    for (int id = 1; id <= replicas; id++) {
      ReplicaNode node = new ReplicaNode(id, clock, timers, controller, lag, settings);
      node.minInSync = minInSync;
      node.ownEpoch = controller.broker(id).epoch();
      nodes.put(id, node);
      node.open();
      node.apply(controller.metadata());
    }
    return this;
  }

  ReplicaNode node(int id) {
    return nodes.get(id);
  }

  Iterable<ReplicaNode> nodes() {
    return nodes.values();
  }

  PartitionLeader leader(int id) {
    return node(id).leader();
  }

  PartitionFollower follower(int id) {
    return node(id).follower();
  }

  long end(int id) {
    return node(id).log.logEndOffset();
  }

  long highWatermark(int id) {
    PartitionReplica role = node(id).role;
    return role == null ? -1 : role.highWatermark();
  }

  /** What a reader at this replica gets from the log start on. */
  List<String> readable(int id) {
    return StoredRecord.below(node(id).log, highWatermark(id)).stream()
        .map(StoredRecord::value)
        .toList();
  }

  /** All that is in a log, as in "[(0,a), (1,x)]". */
  String log(int id) {
    return StoredRecord.below(node(id).log, end(id)).toString();
  }

  // --- writing ---

  Produced produce(int id, boolean forAll, String... values) throws IOException {
    return produce(id, forAll, Batches.plain(clock.wallMs(), values), values);
  }

  Produced produce(int id, boolean forAll, ByteBuffer records, String... values)
      throws IOException {
    Produced produced = new Produced(List.of(values));
    PartitionLeader leader = leader(id);
    try {
      ClientBatch batch = leader.log().clientBatch(records);
      boolean checked =
          leader.log().checkIfSmall(batch, InflationBudget.of(InflationBudget.MAX_OF_BATCH));
      if (!checked) {
        throw new AssertionError("the batch is too large for a test");
      }
      AppendResult result = forAll ? leader.appendForAll(batch) : leader.append(batch);
      produced.baseOffset = result.baseOffset();
      produced.lastOffset = result.lastOffset();
      if (forAll) {
        leader.whenCommitted(result.lastOffset() + 1, produced);
      } else {
        produced.onAcknowledged(Errors.NONE);
      }
    } catch (RefusedAppend e) {
      produced.onAcknowledged(e.error());
    }
    return produced;
  }

  // --- replication ---

  /** A question of a follower that its leader has answered, on its way back. */
  record OnItsWay(int follower, int life, FetchPosition asked, LeaderAnswer answer) {}

  /** One whole round: a follower asks what it needs and hears the answer. */
  FollowerStep fetch(int id) throws IOException {
    ReplicaNode node = node(id);
    FollowerStep step = node.follower().step();
    return switch (step) {
      case FETCH -> hear(ask(id));
      case ASK_OFFSETS -> askOffsets(node);
      default -> step;
    };
  }

  private FollowerStep askOffsets(ReplicaNode node) throws IOException {
    FetchPosition asked = node.follower().position();
    ReplicaNode leader = nodes.get(asked.leaderId());
    if (leader != null
        && leader.role instanceof PartitionLeader role
        && role.checkEpoch(asked.leaderEpoch()) == Errors.NONE) {
      PartitionLog log = role.log();
      return node.follower().onLeaderOffsets(asked, log.logStartOffset(), log.logEndOffset());
    }
    node.follower().onNoLeaderOffsets(asked);
    return FollowerStep.BACK_OFF;
  }

  /** A follower asks its leader, which answers; the answer has not arrived. */
  OnItsWay ask(int id) throws IOException {
    return ask(id, MAX_BYTES);
  }

  OnItsWay ask(int id, int maxBytes) throws IOException {
    ReplicaNode node = node(id);
    FetchPosition asked = node.follower().position();
    return new OnItsWay(id, node.life, asked, answer(node, asked, maxBytes));
  }

  /** As when the records of the answer had no room in it. */
  OnItsWay askForNothing(int id) throws IOException {
    OnItsWay full = ask(id);
    LeaderAnswer answer = full.answer();
    return new OnItsWay(
        id,
        full.life(),
        full.asked(),
        new LeaderAnswer(
            answer.error(),
            answer.highWatermark(),
            answer.logStartOffset(),
            answer.logEndOffset(),
            answer.diverging(),
            null));
  }

  private LeaderAnswer answer(ReplicaNode from, FetchPosition asked, int maxBytes)
      throws IOException {
    ReplicaNode to = nodes.get(asked.leaderId());
    if (to == null || !to.isUp()) {
      return LeaderAnswer.failed(Errors.NETWORK_EXCEPTION);
    }
    if (!(to.role instanceof PartitionLeader leader)) {
      return LeaderAnswer.failed(Errors.NOT_LEADER_OR_FOLLOWER);
    }
    FollowerAnswer answer =
        leader.fetch(
            new FollowerFetch(
                from.id,
                from.ownEpoch,
                asked.leaderEpoch(),
                asked.fetchOffset(),
                asked.lastFetchedEpoch(),
                asked.logStartOffset(),
                asked.highWatermark(),
                maxBytes,
                true));
    return new LeaderAnswer(
        answer.error(),
        answer.highWatermark(),
        answer.logStartOffset(),
        answer.logEndOffset(),
        answer.diverging(),
        answer.read() == null || answer.read().slice() == null
            ? null
            : StoredRecord.bytes(answer.read().slice()));
  }

  /** An answer arrives. */
  FollowerStep hear(OnItsWay answer) throws IOException {
    ReplicaNode node = node(answer.follower());
    if (node.life != answer.life() || !(node.role instanceof PartitionFollower follower)) {
      return FollowerStep.NONE;
    }
    return follower.onAnswer(answer.asked(), answer.answer());
  }

  /** Rounds of all followers that are up until none of them brings anything new. */
  void catchUp() throws IOException {
    for (int round = 0; round < 20; round++) {
      for (ReplicaNode node : nodes.values()) {
        if (node.role instanceof PartitionFollower) {
          fetch(node.id);
        }
        node.work();
      }
    }
  }

  // --- control ---

  /** False when brokers learn what is committed only from {@link #tell}. */
  boolean tellsAtOnce = true;

  /** All that are up learn what is committed. */
  void tellAll() {
    for (ReplicaNode node : nodes.values()) {
      tell(node.id);
    }
  }

  void tell(int id) {
    if (node(id).isUp()) {
      node(id).apply(controller.metadata());
    }
  }

  void elect(int id) {
    controller.elect(id);
    tellAllAtOnce();
  }

  /** The process ends; the kernel keeps what it wrote. The controller notices. */
  void kill(int id) {
    stop(id);
    node(id).disk.processKill();
    fence(id);
  }

  /** Power is lost; the seed decides what is left of the unsynced. The controller notices. */
  void losePower(int id, long seed) {
    stop(id);
    node(id).disk.powerLoss(seed);
    fence(id);
  }

  private void stop(int id) {
    ReplicaNode node = node(id);
    node.noteRecoveryPoint();
    node.down();
  }

  /** Its session has ended. If it lives and leads, nobody leads until the next election. */
  void fence(int id) {
    controller.setFenced(id, true);
    controller.removeFromIsr(id);
    if (node(id).isUp() && controller.partition.leaderId() == id) {
      controller.removeLeader();
    }
    tellAllAtOnce();
  }

  private void tellAllAtOnce() {
    if (tellsAtOnce) {
      tellAll();
    }
  }

  /**
   * Comes back with what is on its disk, under a new registration. If it still counted as the
   * leader it does no more: what it had in mind is gone, so it needs a new epoch (KAFKA-10527).
   */
  void restart(int id) throws IOException {
    ReplicaNode node = node(id);
    node.ownEpoch = controller.register(id);
    if (controller.partition.leaderId() == id) {
      controller.removeLeader();
    }
    node.open();
    node.apply(controller.metadata());
    tellAllAtOnce();
  }
}
