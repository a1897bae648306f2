package dev.tidemark.broker;

import dev.tidemark.broker.replication.Replication;
import dev.tidemark.broker.request.AlterReplicaLogDirsHandler;
import dev.tidemark.broker.request.ApiVersionsHandler;
import dev.tidemark.broker.request.AutoTopicCreation;
import dev.tidemark.broker.request.ClusterNodes;
import dev.tidemark.broker.request.ConfigDescriptions;
import dev.tidemark.broker.request.ConsumerGroupDescribeHandler;
import dev.tidemark.broker.request.ConsumerGroupHeartbeatHandler;
import dev.tidemark.broker.request.CurrentLeaders;
import dev.tidemark.broker.request.DeleteGroupsHandler;
import dev.tidemark.broker.request.DeleteRecordsHandler;
import dev.tidemark.broker.request.DescribeClusterHandler;
import dev.tidemark.broker.request.DescribeConfigsHandler;
import dev.tidemark.broker.request.DescribeGroupsHandler;
import dev.tidemark.broker.request.DescribeLogDirsHandler;
import dev.tidemark.broker.request.DescribeProducersHandler;
import dev.tidemark.broker.request.DescribeQuorumHandler;
import dev.tidemark.broker.request.DescribeTopicPartitionsHandler;
import dev.tidemark.broker.request.FetchHandler;
import dev.tidemark.broker.request.FindCoordinatorHandler;
import dev.tidemark.broker.request.FolderMoves;
import dev.tidemark.broker.request.FollowerSessions;
import dev.tidemark.broker.request.HeartbeatHandler;
import dev.tidemark.broker.request.IncrementalAlterConfigsHandler;
import dev.tidemark.broker.request.InitProducerIdHandler;
import dev.tidemark.broker.request.JoinGroupHandler;
import dev.tidemark.broker.request.LeaveGroupHandler;
import dev.tidemark.broker.request.ListConfigResourcesHandler;
import dev.tidemark.broker.request.ListGroupsHandler;
import dev.tidemark.broker.request.ListOffsetsHandler;
import dev.tidemark.broker.request.ListPartitionReassignmentsHandler;
import dev.tidemark.broker.request.LogDir;
import dev.tidemark.broker.request.LoggerConfigs;
import dev.tidemark.broker.request.LostTailHandler;
import dev.tidemark.broker.request.MetadataHandler;
import dev.tidemark.broker.request.OffsetCommitHandler;
import dev.tidemark.broker.request.OffsetDeleteHandler;
import dev.tidemark.broker.request.OffsetFetchHandler;
import dev.tidemark.broker.request.OffsetForLeaderEpochHandler;
import dev.tidemark.broker.request.OffsetsTopicSettings;
import dev.tidemark.broker.request.ProduceHandler;
import dev.tidemark.broker.request.RackAwareReplicas;
import dev.tidemark.broker.request.ReadReplicas;
import dev.tidemark.broker.request.RoomForPartitions;
import dev.tidemark.broker.request.SyncGroupHandler;
import dev.tidemark.broker.request.UnregisterBrokerHandler;
import dev.tidemark.env.LogLevels;
import dev.tidemark.env.Shard;
import dev.tidemark.group.GroupCoordination;
import dev.tidemark.log.LogId;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.PartitionReplica;
import dev.tidemark.transaction.ProducerIds;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiKeys;

/** Makes the handlers of a broker and registers them. */
final class Handlers {
  private final BrokerSettings settings;
  private final Shard data;
  private final MetadataView view;
  private final Partitions partitions;
  private final GroupCoordination groups;
  private final LoggerConfigs loggers;

  Handlers(
      BrokerSettings settings,
      Shard data,
      MetadataView view,
      Partitions partitions,
      LogLevels logLevels) {
    this.loggers = new LoggerConfigs(settings.nodeId(), logLevels);
    this.settings = settings;
    this.data = data;
    this.view = view;
    this.partitions = partitions;
    this.groups =
        new GroupCoordination(
            new HostedOffsetsPartitions(partitions, data),
            view,
            data,
            settings.nodeId(),
            settings.texts(),
            this::maxMessageBytes);
  }

  private int maxMessageBytes(String topic) {
    PartitionReplica partition = partitions.role(topic, 0);
    return partition == null
        ? settings.messageMaxBytes()
        : partition.log().settings().maxMessageBytes();
  }

  /** Who this broker is, as far as handlers need it. */
  record Self(
      String clusterId,
      RoomForPartitions room,
      Supplier<List<LogDir>> logDirs,
      FolderMoves moves,
      Replication replication,
      ServingLease lease) {}

  void register(HandlerRegistry registry, ControllerAccess controller, Self self) {
    registry.add(
        ApiKeys.API_VERSIONS,
        new ApiVersionsHandler(registry, new FeaturesAnswer(view::image)::make));
    registerRecords(registry, self.replication(), self.lease());
    registerFolders(registry, self.logDirs(), self.moves(), self.replication());
    registerMetadata(registry, controller, self);
    registerTopics(registry, controller, self.room());
    registerConfigs(registry, controller);
    registerGroups(registry, self.lease());
  }

  /** What is asked of data folders, and of what was lost from the logs in them. */
  void registerFolders(
      HandlerRegistry registry,
      Supplier<List<LogDir>> dirs,
      FolderMoves moves,
      Replication replication) {
    HostedLostTails tails =
        new HostedLostTails(settings.nodeId(), partitions, dirs, replication.losses());
    registry
        .add(
            ApiKeys.DESCRIBE_LOG_DIRS,
            new LostTailHandler(
                new DescribeLogDirsHandler(partitions, dirs, moves, data.timers()), tails))
        .add(
            ApiKeys.ALTER_REPLICA_LOG_DIRS,
            new LostTailHandler(new AlterReplicaLogDirsHandler(moves), tails));
  }

  /** What clients and followers do with records. */
  void registerRecords(HandlerRegistry registry, Replication replication, ServingLease lease) {
    registry.add(ApiKeys.DESCRIBE_PRODUCERS, new DescribeProducersHandler(partitions));
    CurrentLeaders leaders = new CurrentLeaders(view, settings.nodeId());
    new LeasedRegistry(registry, lease)
        .produce(new ProduceHandler(partitions, data, leaders))
        .fetch(
            new FetchHandler(
                partitions,
                data.clock(),
                data.timers(),
                data.randomness().fork("fetch-sessions"),
                settings.fetchMaxBytes(),
                settings.maxIncrementalFetchSessionCacheSlots(),
                settings.readsFromNearestReplica()
                    ? new RackAwareReplicas(view, settings.nodeId())
                    : ReadReplicas.LEADER,
                new FollowerSessions(partitions, replication),
                leaders))
        .leaderTells(ApiKeys.LIST_OFFSETS, new ListOffsetsHandler(partitions, data))
        .leaderTells(ApiKeys.OFFSET_FOR_LEADER_EPOCH, new OffsetForLeaderEpochHandler(partitions))
        .leaderCommits(ApiKeys.DELETE_RECORDS, new DeleteRecordsHandler(partitions, data.timers()));
  }

  private void registerMetadata(HandlerRegistry registry, ControllerAccess controller, Self self) {
    ClusterNodes nodes =
        new ClusterNodes(
            view, self.clusterId(), settings.nodeId(), partitions, controller::activeController);
    AutoTopicCreation creation =
        new AutoTopicCreation(
            controller.topicCreator(),
            self.room(),
            view,
            OffsetsTopicSettings.of(settings.texts()));
    ProducerIds producerIds = new ProducerIds(controller.producerIdBlocks());
    producerIds.prefetch(); // so that the first producer need not wait for a sync
    registry
        .add(
            ApiKeys.METADATA,
            new MetadataHandler(nodes, creation, settings.autoCreateTopicsEnable()))
        .add(ApiKeys.DESCRIBE_CLUSTER, new DescribeClusterHandler(nodes))
        .add(
            ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
            new DescribeTopicPartitionsHandler(nodes, settings.maxRequestPartitionSizeLimit()))
        .add(
            ApiKeys.DESCRIBE_QUORUM,
            controller.quorum(new DescribeQuorumHandler(controller.here(), nodes, data.clock())))
        .add(ApiKeys.FIND_COORDINATOR, new FindCoordinatorHandler(nodes, creation, groups))
        .add(ApiKeys.INIT_PRODUCER_ID, new InitProducerIdHandler(producerIds));
  }

  private void registerTopics(
      HandlerRegistry registry, ControllerAccess controller, RoomForPartitions room) {
    AdminHandlers.register(registry, controller.here(), room, partitions, controller::deciding);
    registry.add(ApiKeys.LIST_PARTITION_REASSIGNMENTS, new ListPartitionReassignmentsHandler(view));
    registry.add(
        ApiKeys.UNREGISTER_BROKER,
        controller.deciding(new UnregisterBrokerHandler(controller.here())));
  }

  private void registerConfigs(HandlerRegistry registry, ControllerAccess controller) {
    registry
        .add(ApiKeys.LIST_CONFIG_RESOURCES, new ListConfigResourcesHandler(view))
        .add(
            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
            new IncrementalAlterConfigsHandler(controller.configAlterer(), loggers))
        .add(
            ApiKeys.DESCRIBE_CONFIGS,
            new DescribeConfigsHandler(new ConfigDescriptions(settings, view, loggers)));
  }

  /** What members of groups ask; the coordinator follows the metadata from now on. */
  void registerGroups(HandlerRegistry all, ServingLease lease) {
    view.addListener(groups);
    LeasedRegistry registry = new LeasedRegistry(all, lease);
    registry
        .coordinatorTells(ApiKeys.JOIN_GROUP, new JoinGroupHandler(groups))
        .coordinatorTells(ApiKeys.SYNC_GROUP, new SyncGroupHandler(groups))
        .coordinatorTells(ApiKeys.HEARTBEAT, new HeartbeatHandler(groups))
        .coordinatorCommits(ApiKeys.LEAVE_GROUP, new LeaveGroupHandler(groups))
        .coordinatorCommits(ApiKeys.OFFSET_COMMIT, new OffsetCommitHandler(groups, view))
        .coordinatorTells(ApiKeys.OFFSET_FETCH, new OffsetFetchHandler(groups, view))
        .coordinatorCommits(ApiKeys.OFFSET_DELETE, new OffsetDeleteHandler(groups, view))
        .coordinatorTells(ApiKeys.LIST_GROUPS, new ListGroupsHandler(groups))
        .coordinatorTells(ApiKeys.DESCRIBE_GROUPS, new DescribeGroupsHandler(groups))
        .coordinatorCommits(ApiKeys.DELETE_GROUPS, new DeleteGroupsHandler(groups))
        .coordinatorTells(
            ApiKeys.CONSUMER_GROUP_HEARTBEAT,
            new ConsumerGroupHeartbeatHandler(
                groups, view, data.randomness().fork("group-members")))
        .coordinatorTells(
            ApiKeys.CONSUMER_GROUP_DESCRIBE, new ConsumerGroupDescribeHandler(groups, view));
  }

  /** A partition that served serves no more, until its leader epoch changes. */
  void wentOffline(LogId id) {
    groups.onOffline(id.topic(), id.partition());
  }

  /** Ends what waits for groups; they load when the first request of one comes. */
  void stop() {
    groups.stop();
  }
}
