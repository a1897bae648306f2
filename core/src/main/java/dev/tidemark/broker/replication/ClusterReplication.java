package dev.tidemark.broker.replication;

import dev.tidemark.broker.control.ControllerChannel;
import dev.tidemark.env.Background;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.BrokerRegistry;
import dev.tidemark.replica.Checkpoints;
import dev.tidemark.replica.FollowerContacts;
import dev.tidemark.replica.IsrProposals;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.replica.RoleListener;
import dev.tidemark.replica.fetch.FollowerFetcher;
import dev.tidemark.replica.fetch.FollowerThrottle;
import dev.tidemark.replica.fetch.LedPartitions;
import dev.tidemark.replica.fetch.ServedSession;
import java.util.function.LongSupplier;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/** Replication between the brokers of a cluster. Owned by the data shard. */
public final class ClusterReplication implements Replication {
  private final int nodeId;
  private final Shard shard;
  private final MetadataView view;
  private final Dialer dialer;
  private final ReplicationSettings settings;
  private final BrokerRegistry brokers;
  private final IsrProposals proposals;
  private final FollowerContacts contacts = new FollowerContacts();
  private final ReplicaContext shared;
  private final FollowerFetchers fetchers;
  private final OpenLosses losses;
  private final ReplicationThrottles throttles;

  /**
   * @param dialer of the data shard
   * @param ownEpoch the epoch of this broker's registration
   */
  public ClusterReplication(
      int nodeId,
      Shard shard,
      MetadataView view,
      Dialer dialer,
      ControllerChannel channel,
      LongSupplier ownEpoch,
      ReplicationSettings settings) {
    this.nodeId = nodeId;
    this.shard = shard;
    this.view = view;
    this.dialer = dialer;
    this.settings = settings;
    this.throttles = new ReplicationThrottles(nodeId, settings.throttling());
    throttles.apply(view.image());
    view.addListener(throttles);
    this.brokers = new ImageBrokers(view, ownEpoch);
    this.proposals = new IsrRequests(nodeId, brokers, channel, shard.timers());
    this.shared = context(shard.background(), (log, endOffset) -> {});
    this.losses = new OpenLosses(nodeId, shard, view, settings.checkpointIntervalMs());
    this.fetchers = new FollowerFetchers(shard.timers(), this::newFetcher, losses::note);
  }

  @Override
  public ReplicaContext context(Background slowWork, Checkpoints checkpoints) {
    return new ReplicaContext(
        nodeId,
        slowWork,
        shard.timers(),
        shard.clock(),
        proposals,
        brokers,
        checkpoints,
        settings.lag(),
        contacts,
        settings.lostTailMaxBytes());
  }

  private FollowerFetcher newFetcher(int leaderId) {
    PeerLeader leader = new PeerLeader(nodeId, leaderId, view, dialer, shard.timers(), settings);
    FollowerThrottle throttle = new FollowerThrottle(throttles.ofFollowers(), this::isInSync);
    return new FollowerFetcher(leaderId, settings.fetching(), leader, throttle, shared);
  }

  private boolean isInSync(LogId id) {
    PartitionRegistration state = view.partition(id.topicId(), id.partition());
    return state != null && Replicas.contains(state.isr, nodeId);
  }

  @Override
  public RoleListener followers() {
    return fetchers;
  }

  @Override
  public void keepIn(Directory folder) {
    losses.keepIn(folder);
  }

  @Override
  public OpenLosses losses() {
    return losses;
  }

  @Override
  public boolean hasOthers() {
    return true;
  }

  @Override
  public ServedSession newSession(LedPartitions partitions) {
    return new ServedSession(partitions, settings.serving(), throttles.ofLeaders(), shared);
  }

  @Override
  public long lagCheckIntervalMs() {
    return Math.max(1, settings.lag().timeMaxMs() / 2);
  }

  @Override
  public long checkpointIntervalMs() {
    return settings.checkpointIntervalMs();
  }

  @Override
  public void stop() {
    fetchers.stop();
    losses.stop();
  }
}
