package dev.tidemark.metadata;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Shard;
import dev.tidemark.quorum.Leadership;
import dev.tidemark.quorum.MetadataLog;
import dev.tidemark.quorum.QuorumState;
import java.io.IOException;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.ProducerIdsBlock;
import org.jspecify.annotations.Nullable;

/**
 * Decides what cluster metadata becomes. Owned by the control shard; every method runs there. Each
 * reply comes on the control shard after the records are durable and were handed to the data shard,
 * so that what is executed on the data shard from the reply sees them.
 */
public final class Controller {
  private final MetadataLog log;
  private final MetadataView view;
  private final Shard data;
  private final DecisionLoop loop;
  private final ElectionContext context;
  private final BrokerLifecycle lifecycle;
  private final LeaderBalance balance;
  private final TopicNames names = new TopicNames();
  private final TopicPlacement placement;
  private final TopicCreation topicCreation;
  private final TopicDeletion topicDeletion;
  private final PartitionAddition partitionAddition;
  private final ConfigAlteration configAlteration;
  private final ConfigEffects configEffects;
  private final ElectionAnswers electionAnswers;
  private final Clock clock;
  private final Shard control;
  private Consumer<Leadership> leaderListener = now -> {};
  private @Nullable Throwable bootstrapFailure;

  /** A controller of a cluster whose only broker is in this process. */
  public Controller(
      MetadataLog log, MetadataView view, Shard control, Shard data, ControllerSettings settings) {
    this(log, view, control, data, settings, BrokerControlSettings.defaults(), BrokerProbe.none());
  }

  public Controller(
      MetadataLog log,
      MetadataView view,
      Shard control,
      Shard data,
      ControllerSettings settings,
      BrokerControlSettings brokerSettings,
      BrokerProbe probe) {
    this.log = log;
    this.view = view;
    this.data = data;
    this.control = control;
    this.clock = control.clock();
    EffectiveConfigs configs = new EffectiveConfigs(settings.nodeId(), settings.properties());
    this.loop = new DecisionLoop(log, new Batches());
    this.context =
        new ElectionContext(
            new PartitionPolicy(configs),
            new PartitionIndex(),
            new BrokerLiveness(brokerSettings.sessionTimeoutMs()),
            new LeadershipHandovers(),
            new FloorChanges());
    this.lifecycle =
        new BrokerLifecycle(
            loop, context, brokerSettings, probe, () -> log.state().logEndOffset(), control);
    this.balance = new LeaderBalance(loop, context, brokerSettings, control.timers());
    this.electionAnswers = new ElectionAnswers(control.timers());
    this.placement = new TopicPlacement(control.randomness().fork("placement"), settings);
    this.topicCreation =
        new TopicCreation(control.randomness().fork("topic-ids"), names, placement, configs);
    this.topicDeletion = new TopicDeletion(settings.deleteTopicEnable());
    this.partitionAddition = new PartitionAddition(placement);
    this.configAlteration = new ConfigAlteration(new ConfigRules(settings.properties()));
    this.configEffects = new ConfigEffects(context);
  }

  /** Hears who decides, on the control shard; to be set before {@link #start}. */
  public void onLeaderChange(Consumer<Leadership> hearer) {
    leaderListener = hearer;
  }

  /**
   * Takes part in the quorum: replays the metadata log and hands the image it leads to to the data
   * shard. While the log says that this node is active it decides; else its methods fail with
   * NOT_CONTROLLER. A log with one voter makes it so before this returns.
   *
   * @throws IOException also when the first records of a new log cannot be written
   */
  public void start() throws IOException {
    loop.start();
    Throwable failure = bootstrapFailure;
    if (failure != null) {
      throw new IOException("The first metadata records were not written", failure);
    }
  }

  /** The first records of a cluster, unless a format wrote them, or what it left out. */
  private void bootstrap() {
    if (loop.image().features().metadataVersion().isPresent()) {
      return;
    }
    loop.decide(
        now -> new Decision<>(MetadataBootstrap.records(), true),
        new Reply<>() {
          @Override
          public void succeed(Boolean done) {}

          @Override
          public void fail(Throwable cause) {
            bootstrapFailure = cause;
            log.resign();
          }
        });
  }

  /**
   * Registers a new run of the broker in this process, which may lead at once and sends no
   * heartbeats. The partitions it leads begin a new leader epoch, because what the run before had
   * not synced may be gone, unless that run ended in order. The reply is the broker epoch.
   */
  public void registerBroker(BrokerIncarnation broker, Reply<Long> reply) {
    lifecycle.registerLocal(broker, reply);
  }

  /**
   * Registers a new run of a broker elsewhere (KIP-631), fenced until its heartbeats say that it
   * has caught up. The reply is the broker epoch. Fails with Kafka's exceptions for
   * DUPLICATE_BROKER_REGISTRATION, INCONSISTENT_CLUSTER_ID, INVALID_REGISTRATION,
   * UNSUPPORTED_VERSION.
   */
  public void registerBroker(BrokerRegistrationRequestData request, Reply<Long> reply) {
    lifecycle.register(request, reply);
  }

  /**
   * Takes a broker's heartbeat (KIP-631). The answer is given after a record that was appended
   * after now has committed; only an answer without an error that says the broker is not fenced
   * grants it a lease. Fails with Kafka's exceptions for BROKER_ID_NOT_REGISTERED,
   * STALE_BROKER_EPOCH and NOT_CONTROLLER. A broker that sends {@code wantFence} serves as no
   * leader, and one that tells a metadata offset acts upon all metadata up to it. From folders that
   * it tells to be offline it serves nothing.
   */
  public void heartbeat(
      BrokerHeartbeatRequestData request, Reply<BrokerHeartbeatResponseData> reply) {
    lifecycle.heartbeat(request, reply);
  }

  /** The connection on which a broker sent its heartbeats is broken: finds out if it is dead. */
  public void onConnectionLost(int brokerId, long brokerEpoch) {
    lifecycle.onConnectionLost(brokerId, brokerEpoch);
  }

  /** Forgets a broker. The reply is its id; fails with BROKER_ID_NOT_REGISTERED. */
  public void unregisterBroker(int brokerId, Reply<Integer> reply) {
    loop.decide(now -> BrokerRemoval.decide(now, context, brokerId), reply);
  }

  /** Changes ISRs as leaders propose it (KIP-497); fails with STALE_BROKER_EPOCH. */
  public void alterPartition(
      AlterPartitionRequestData request, Reply<AlterPartitionResponseData> reply) {
    loop.decide(now -> IsrAlteration.decide(now, context, request), reply);
  }

  /** Notes in which data folders a broker's replicas lie; fails with STALE_BROKER_EPOCH. */
  public void assignReplicasToDirs(
      AssignReplicasToDirsRequestData request, Reply<AssignReplicasToDirsResponseData> reply) {
    loop.decide(now -> DirectoryAssignment.decide(now, context, request), reply);
  }

  public void createTopics(CreateTopicsRequestData request, Reply<CreateTopicsResponseData> reply) {
    loop.decide(now -> topicCreation.decide(now, request), reply);
  }

  public void deleteTopics(DeleteTopicsRequestData request, Reply<DeleteTopicsResponseData> reply) {
    loop.decide(now -> topicDeletion.decide(now, request), reply);
  }

  public void createPartitions(
      CreatePartitionsRequestData request, Reply<CreatePartitionsResponseData> reply) {
    loop.decide(now -> partitionAddition.decide(now, request), reply);
  }

  public void incrementalAlterConfigs(
      IncrementalAlterConfigsRequestData request,
      Reply<IncrementalAlterConfigsResponseData> reply) {
    decideConfigs(now -> configAlteration.decide(now, request), reply);
  }

  public void alterConfigs(AlterConfigsRequestData request, Reply<AlterConfigsResponseData> reply) {
    decideConfigs(now -> configAlteration.decide(now, request), reply);
  }

  /** Notes in which data folder a broker's replica lies from now on; the reply is that folder. */
  public void assignDirectory(
      Uuid topicId, int partition, int brokerId, Uuid directoryId, Reply<Uuid> reply) {
    loop.decide(
        now -> DirectoryAssignment.decide(now, context, topicId, partition, brokerId, directoryId),
        reply);
  }

  /** Begins a new leader epoch of a partition that the broker leads; the reply is the epoch. */
  public void renewLeadership(Uuid topicId, int partition, int brokerId, Reply<Integer> reply) {
    loop.decide(now -> LeadershipRenewal.decide(now, topicId, partition, brokerId), reply);
  }

  /**
   * Makes other levels of features final.
   *
   * @param version of the request
   */
  public void updateFeatures(
      UpdateFeaturesRequestData request, short version, Reply<UpdateFeaturesResponseData> reply) {
    loop.decide(now -> FeatureUpdate.decide(now, request, version), reply);
  }

  /** Elects leaders; answered once the partitions have them, or the request's time is over. */
  public void electLeaders(ElectLeadersRequestData request, Reply<ElectLeadersResponseData> reply) {
    loop.decide(
        now -> LeaderElection.decide(now, context, request),
        new Reply<LeaderElection.Outcome>() {
          @Override
          public void succeed(LeaderElection.Outcome outcome) {
            electionAnswers.await(outcome.response(), outcome.moving(), request.timeoutMs(), reply);
          }

          @Override
          public void fail(Throwable cause) {
            reply.fail(cause);
          }
        });
  }

  public void alterPartitionReassignments(
      AlterPartitionReassignmentsRequestData request,
      Reply<AlterPartitionReassignmentsResponseData> reply) {
    loop.decide(now -> PartitionReassignment.decide(now, context, placement, request), reply);
  }

  /** Reserves producer ids that no other broker hands out. */
  public void allocateProducerIds(int brokerId, long brokerEpoch, Reply<ProducerIdsBlock> reply) {
    loop.decide(now -> ProducerIdBlocks.decide(now, brokerId, brokerEpoch), reply);
  }

  private <T> void decideConfigs(Function<MetadataImage, Decision<T>> decider, Reply<T> reply) {
    loop.decide(now -> withEffects(now, decider), reply);
  }

  private <T> Decision<T> withEffects(
      MetadataImage image, Function<MetadataImage, Decision<T>> decider) {
    return configEffects.with(image, decider.apply(image), later -> withEffects(later, decider));
  }

  /** The metadata as of the last batch that has committed here. */
  public MetadataImage image() {
    return loop.image();
  }

  /** Facts for DescribeQuorum. */
  public QuorumState quorumState() {
    return log.state();
  }

  /** Keeps up with the metadata whatever is derived from it. */
  private final class Batches implements DecisionLoop.Listener {
    @Override
    public void onAppend() {
      lifecycle.acks().onAppend();
    }

    @Override
    public void onCommitted(MetadataDelta delta, MetadataImage image) {
      names.onMetadataUpdate(delta);
      placement.onMetadataUpdate(delta);
      context.index().onMetadataUpdate(delta);
      if (loop.isActive()) {
        context
            .handovers()
            .onMetadataUpdate(delta, image, context.liveness()::isLocal, clock.monotonicMs());
      }
      data.execute(() -> view.publish(delta, image));
      if (loop.isActive()) {
        context.floors().onMetadataUpdate(delta, image);
        electionAnswers.onMetadataUpdate(delta);
        lifecycle.onCommitted(delta);
        balance.onCommitted();
      }
    }

    @Override
    public void onAppendFailed() {
      lifecycle.onAppendFailed();
    }

    @Override
    public void onReplayed() {
      Set<Uuid> deleted = loop.deletedBefore();
      data.execute(() -> view.noteDeletedBefore(deleted));
    }

    @Override
    public void onActive() {
      bootstrap();
      lifecycle.onActive();
      balance.onCommitted();
    }

    @Override
    public void onResigned() {
      lifecycle.onResigned();
      electionAnswers.onResigned();
    }

    @Override
    public void onLeadership(Leadership now) {
      leaderListener.accept(now);
    }

    @Override
    public void onLateReplay() {
      control.execute(loop::endReplay);
    }
  }
}
