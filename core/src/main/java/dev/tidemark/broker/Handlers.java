package dev.tidemark.broker;

import dev.tidemark.broker.request.AlterConfigsHandler;
import dev.tidemark.broker.request.ApiVersionsHandler;
import dev.tidemark.broker.request.AutoTopicCreation;
import dev.tidemark.broker.request.ClusterNodes;
import dev.tidemark.broker.request.CreatePartitionsHandler;
import dev.tidemark.broker.request.CreateTopicsHandler;
import dev.tidemark.broker.request.DeleteRecordsHandler;
import dev.tidemark.broker.request.DeleteTopicsHandler;
import dev.tidemark.broker.request.DescribeClusterHandler;
import dev.tidemark.broker.request.DescribeTopicPartitionsHandler;
import dev.tidemark.broker.request.FetchHandler;
import dev.tidemark.broker.request.FindCoordinatorHandler;
import dev.tidemark.broker.request.IncrementalAlterConfigsHandler;
import dev.tidemark.broker.request.InitProducerIdHandler;
import dev.tidemark.broker.request.ListOffsetsHandler;
import dev.tidemark.broker.request.MetadataHandler;
import dev.tidemark.broker.request.OffsetForLeaderEpochHandler;
import dev.tidemark.broker.request.OffsetsTopicSettings;
import dev.tidemark.broker.request.ProduceHandler;
import dev.tidemark.env.Shard;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.transaction.ProducerIds;
import org.apache.kafka.common.protocol.ApiKeys;

/** Makes the handlers of a broker and registers them. */
final class Handlers {
  private final BrokerSettings settings;
  private final Shard data;
  private final MetadataView view;
  private final Partitions partitions;

  Handlers(BrokerSettings settings, Shard data, MetadataView view, Partitions partitions) {
    this.settings = settings;
    this.data = data;
    this.view = view;
    this.partitions = partitions;
  }

  /** Who this broker is, as far as handlers need it. */
  record Self(String clusterId, long brokerEpoch) {}

  void register(HandlerRegistry registry, ControllerCalls controller, Self self) {
    registry.add(
        ApiKeys.API_VERSIONS, new ApiVersionsHandler(registry, new ClusterFeatures(view)::answer));
    registerRecords(registry);
    registerMetadata(registry, controller, self);
    registerTopics(registry, controller);
  }

  private void registerRecords(HandlerRegistry registry) {
    registry
        .add(ApiKeys.PRODUCE, new ProduceHandler(partitions, data.timers()))
        .add(
            ApiKeys.FETCH,
            new FetchHandler(
                partitions,
                data.clock(),
                data.timers(),
                data.randomness().fork("fetch-sessions"),
                settings.fetchMaxBytes(),
                settings.maxIncrementalFetchSessionCacheSlots()))
        .add(ApiKeys.LIST_OFFSETS, new ListOffsetsHandler(partitions))
        .add(ApiKeys.OFFSET_FOR_LEADER_EPOCH, new OffsetForLeaderEpochHandler(partitions))
        .add(ApiKeys.DELETE_RECORDS, new DeleteRecordsHandler(partitions));
  }

  private void registerMetadata(HandlerRegistry registry, ControllerCalls controller, Self self) {
    ClusterNodes nodes = new ClusterNodes(view, self.clusterId(), settings.nodeId());
    AutoTopicCreation creation =
        new AutoTopicCreation(controller, view, OffsetsTopicSettings.of(settings.texts()));
    ProducerIds producerIds =
        new ProducerIds(
            reply ->
                controller.call(
                    (decider, answer) ->
                        decider.allocateProducerIds(settings.nodeId(), self.brokerEpoch(), answer),
                    reply));
    registry
        .add(
            ApiKeys.METADATA,
            new MetadataHandler(nodes, creation, settings.autoCreateTopicsEnable()))
        .add(ApiKeys.DESCRIBE_CLUSTER, new DescribeClusterHandler(nodes))
        .add(
            ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
            new DescribeTopicPartitionsHandler(nodes, settings.maxRequestPartitionSizeLimit()))
        .add(ApiKeys.FIND_COORDINATOR, new FindCoordinatorHandler(nodes, creation))
        .add(ApiKeys.INIT_PRODUCER_ID, new InitProducerIdHandler(producerIds));
  }

  private static void registerTopics(HandlerRegistry registry, ControllerCalls controller) {
    registry
        .add(ApiKeys.CREATE_TOPICS, new CreateTopicsHandler(controller))
        .add(ApiKeys.DELETE_TOPICS, new DeleteTopicsHandler(controller))
        .add(ApiKeys.CREATE_PARTITIONS, new CreatePartitionsHandler(controller))
        .add(ApiKeys.INCREMENTAL_ALTER_CONFIGS, new IncrementalAlterConfigsHandler(controller))
        .add(ApiKeys.ALTER_CONFIGS, new AlterConfigsHandler(controller));
  }

  void stop() {}
}
