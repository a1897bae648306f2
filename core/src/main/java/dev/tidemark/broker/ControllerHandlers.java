package dev.tidemark.broker;

import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.request.AllocateProducerIdsHandler;
import dev.tidemark.broker.request.AlterPartitionHandler;
import dev.tidemark.broker.request.ApiVersionsHandler;
import dev.tidemark.broker.request.AssignReplicasToDirsHandler;
import dev.tidemark.broker.request.BrokerHeartbeatHandler;
import dev.tidemark.broker.request.BrokerRegistrationHandler;
import dev.tidemark.broker.request.ControllerEndpointsHandler;
import dev.tidemark.broker.request.IncrementalAlterConfigsHandler;
import dev.tidemark.broker.request.LoggerConfigs;
import dev.tidemark.broker.request.UnregisterBrokerHandler;
import dev.tidemark.env.LogLevels;
import dev.tidemark.env.Shard;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.quorum.RaftMetadataLog;
import java.util.EnumSet;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * What brokers and other controllers ask of a controller. For the registry of a listener that only
 * they use; on a client listener none of it is answered or advertised.
 */
final class ControllerHandlers {
  /**
   * Raft could do them, but nothing makes sure that a node which is to vote is one of this cluster
   * with whole folders: who votes stays as formatted.
   */
  private static final Set<ApiKeys> CHANGES_OF_VOTERS =
      EnumSet.of(ApiKeys.ADD_RAFT_VOTER, ApiKeys.REMOVE_RAFT_VOTER);

  private ControllerHandlers() {}

  /** All that is answered on the controllers' listener, on the control shard. */
  static void register(
      HandlerRegistry registry,
      Controller controller,
      RaftMetadataLog log,
      BrokerSettings settings,
      FolderIdentity identity,
      Shard control) {
    ControllerCalls calls = new ControllerCalls(controller, control, control);
    registry.add(
        ApiKeys.API_VERSIONS,
        new ApiVersionsHandler(registry, new FeaturesAnswer(controller::image)::make));
    QuorumHandler quorum = new QuorumHandler(log);
    RaftMetadataLog.handled().stream()
        .filter(api -> !CHANGES_OF_VOTERS.contains(api))
        .forEach(api -> registry.add(api, quorum));
    register(registry, calls);
    AdminHandlers.register(
        registry, calls, (yes, no) -> yes.run(), new Partitions(), handler -> handler);
    registry
        .add(
            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
            new IncrementalAlterConfigsHandler(
                calls, new LoggerConfigs(settings.nodeId(), LogLevels.none())))
        .add(
            ApiKeys.DESCRIBE_CLUSTER,
            new ControllerEndpointsHandler(
                identity.clusterId(), () -> log.state().leaderId(), log::voters))
        .add(ApiKeys.ENVELOPE, new EnvelopeHandler(registry));
  }

  /** What brokers ask. */
  static void register(HandlerRegistry registry, ControllerCalls controller) {
    registry
        .add(ApiKeys.BROKER_REGISTRATION, new BrokerRegistrationHandler(controller))
        .add(ApiKeys.BROKER_HEARTBEAT, new BrokerHeartbeatHandler(controller))
        .add(ApiKeys.ALTER_PARTITION, new AlterPartitionHandler(controller))
        .add(ApiKeys.ALLOCATE_PRODUCER_IDS, new AllocateProducerIdsHandler(controller))
        .add(ApiKeys.ASSIGN_REPLICAS_TO_DIRS, new AssignReplicasToDirsHandler(controller))
        .add(ApiKeys.UNREGISTER_BROKER, new UnregisterBrokerHandler(controller));
  }
}
