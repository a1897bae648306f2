package dev.tidemark.broker;

import dev.tidemark.broker.request.ApiVersionsHandler;
import dev.tidemark.broker.request.DeleteRecordsHandler;
import dev.tidemark.broker.request.FetchHandler;
import dev.tidemark.broker.request.ListOffsetsHandler;
import dev.tidemark.broker.request.OffsetForLeaderEpochHandler;
import dev.tidemark.broker.request.ProduceHandler;
import dev.tidemark.env.Shard;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.MetadataView;
import org.apache.kafka.common.protocol.ApiKeys;

/** Makes the handlers and gives them what they work with. */
final class Handlers {
  private final HandlerRegistry registry = new HandlerRegistry();

  Handlers(
      BrokerSettings settings,
      Shard data,
      Shard control,
      MetadataView view,
      Partitions partitions) {
    registry
        .add(
            ApiKeys.API_VERSIONS,
            new ApiVersionsHandler(registry, new ClusterFeatures(view)::answer))
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

  HandlerRegistry registry() {
    return registry;
  }

  /** The controller is there: what needs it can be answered. */
  void connect(Controller controller, String clusterId, long brokerEpoch) {}

  void stop() {}
}
