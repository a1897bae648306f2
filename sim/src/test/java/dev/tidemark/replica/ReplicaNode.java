package dev.tidemark.replica;

import dev.tidemark.env.Directory;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A broker with one replica: its disk, its view of the metadata, its role. */
final class ReplicaNode implements BrokerRegistry, Checkpoints {
  final int id;
  final VirtualDisk disk;
  final HeldBackground background = new HeldBackground();
  private final VirtualClock clock;
  private final VirtualTimers timers;
  private final IsrProposals proposals;
  private final LagRule lag;
  private final FollowerContacts contacts = new FollowerContacts();
  LogSettings settings;
  int minInSync;

  ControllerStub.Metadata view;
  long ownEpoch;
  PartitionLog log;
  private HostedReplica replica;
  @Nullable PartitionReplica role;
  long checkpointedHighWatermark;
  private long recoveryPoint;

  /** The rounds of this life: what was asked in an earlier one is never answered. */
  int life;

  ReplicaNode(
      int id,
      VirtualClock clock,
      VirtualTimers timers,
      IsrProposals proposals,
      LagRule lag,
      LogSettings settings) {
    this.id = id;
    this.disk = new VirtualDisk(id);
    this.clock = clock;
    this.timers = timers;
    this.proposals = proposals;
    this.lag = lag;
    this.settings = settings;
  }

  ReplicaContext context() {
    return new ReplicaContext(
        id, background, timers, clock, proposals, this, this, lag, contacts, 1 << 20);
  }

  boolean isUp() {
    return role != null;
  }

  PartitionLeader leader() {
    return (PartitionLeader) role;
  }

  PartitionFollower follower() {
    return (PartitionFollower) role;
  }

  void open() throws IOException {
    Directory folder = disk.root().directory(ReplicaCluster.ID.folderName());
    log =
        PartitionLog.open(
            ReplicaCluster.ID, folder, settings, new LogOpening(false, recoveryPoint, 0), clock);
    replica = new HostedReplica(log, checkpointedHighWatermark, context());
  }

  /** Applies what is committed: the role it names. */
  void apply(ControllerStub.Metadata metadata) {
    view = metadata;
    role = replica.apply(metadata.partition(), minInSync);
  }

  /** The process is gone; what it had in mind too. */
  void down() {
    role = null;
    life++;
    replica.stop();
    while (background.size() > 0) {
      background.dropNext();
    }
  }

  /** Does all slow work, one after the other. */
  void work() {
    while (background.size() > 0) {
      background.runNext();
    }
  }

  void noteRecoveryPoint() {
    recoveryPoint = log.recoveryPoint();
  }

  @Override
  public void lower(PartitionLog shorter, long endOffset) {
    recoveryPoint = Math.min(recoveryPoint, endOffset);
    checkpointedHighWatermark = Math.min(checkpointedHighWatermark, endOffset);
  }

  @Override
  public boolean isEligible(int brokerId, long brokerEpoch) {
    ControllerStub.BrokerState state = view.brokers().get(brokerId);
    return state != null && !state.fenced() && state.epoch() == brokerEpoch;
  }

  @Override
  public boolean isAlive(int brokerId) {
    ControllerStub.BrokerState state = view.brokers().get(brokerId);
    return state != null && !state.fenced();
  }

  @Override
  public long ownEpoch() {
    return ownEpoch;
  }
}
