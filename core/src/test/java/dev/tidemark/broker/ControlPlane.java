package dev.tidemark.broker;

import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.broker.request.AlterConfigsHandler;
import dev.tidemark.broker.request.AlterPartitionReassignmentsHandler;
import dev.tidemark.broker.request.AutoTopicCreation;
import dev.tidemark.broker.request.ClusterNodes;
import dev.tidemark.broker.request.ConfigDescriptions;
import dev.tidemark.broker.request.ConsumerGroupDescribeHandler;
import dev.tidemark.broker.request.ConsumerGroupHeartbeatHandler;
import dev.tidemark.broker.request.CreatePartitionsHandler;
import dev.tidemark.broker.request.CreateTopicsHandler;
import dev.tidemark.broker.request.DeleteGroupsHandler;
import dev.tidemark.broker.request.DeleteTopicsHandler;
import dev.tidemark.broker.request.DescribeClusterHandler;
import dev.tidemark.broker.request.DescribeConfigsHandler;
import dev.tidemark.broker.request.DescribeGroupsHandler;
import dev.tidemark.broker.request.DescribeQuorumHandler;
import dev.tidemark.broker.request.DescribeTopicPartitionsHandler;
import dev.tidemark.broker.request.ElectLeadersHandler;
import dev.tidemark.broker.request.FindCoordinatorHandler;
import dev.tidemark.broker.request.HeartbeatHandler;
import dev.tidemark.broker.request.IncrementalAlterConfigsHandler;
import dev.tidemark.broker.request.InitProducerIdHandler;
import dev.tidemark.broker.request.JoinGroupHandler;
import dev.tidemark.broker.request.LeaveGroupHandler;
import dev.tidemark.broker.request.ListConfigResourcesHandler;
import dev.tidemark.broker.request.ListGroupsHandler;
import dev.tidemark.broker.request.ListPartitionReassignmentsHandler;
import dev.tidemark.broker.request.LoggerConfigs;
import dev.tidemark.broker.request.MetadataHandler;
import dev.tidemark.broker.request.OffsetCommitHandler;
import dev.tidemark.broker.request.OffsetDeleteHandler;
import dev.tidemark.broker.request.OffsetFetchHandler;
import dev.tidemark.broker.request.OffsetsTopicSettings;
import dev.tidemark.broker.request.RoomForPartitions;
import dev.tidemark.broker.request.SyncGroupHandler;
import dev.tidemark.broker.request.TopicCreator;
import dev.tidemark.broker.request.UpdateFeaturesHandler;
import dev.tidemark.env.OutboundFrame;
import dev.tidemark.group.GroupCoordination;
import dev.tidemark.group.InMemoryOffsets;
import dev.tidemark.metadata.BrokerIncarnation;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.ControllerSettings;
import dev.tidemark.metadata.FakeMetadataLog;
import dev.tidemark.metadata.FakeShard;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.Reply;
import dev.tidemark.transaction.ProducerIds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** All that answers requests without partitions, on fake shards, spoken to in frames. */
public final class ControlPlane {
  public final FakeShard data = new FakeShard();
  public final FakeShard control = new FakeShard();
  public final MetadataView view = new MetadataView();
  public final InMemoryOffsets offsets;
  public final FakeMetadataLog log;
  public final GroupCoordination groups;
  public final FakeLogLevels logLevels = new FakeLogLevels();
  private final HandlerRegistry registry = new HandlerRegistry();
  private int correlationId;

  public ControlPlane(Map<String, String> properties) {
    this(properties, new FakeMetadataLog(), null);
  }

  /** A new run on what the one before has left. */
  public ControlPlane restarted(Map<String, String> properties) {
    return new ControlPlane(properties, log, this);
  }

  private ControlPlane(
      Map<String, String> properties,
      FakeMetadataLog metadataLog,
      @org.jspecify.annotations.Nullable ControlPlane before) {
    log = metadataLog;
    offsets = before == null ? new InMemoryOffsets(data) : before.offsets.movedTo(data);
    BrokerSettings settings = BrokerSettings.parse(properties);
    ControllerSettings controllerSettings =
        new ControllerSettings(
            1,
            settings.numPartitions(),
            settings.defaultReplicationFactor(),
            settings.deleteTopicEnable(),
            settings.texts());
    Controller controller = new Controller(log, view, control, data, controllerSettings);
    groups = new GroupCoordination(offsets, view, data, 1, settings.texts(), topic -> 1_000_000);
    view.addListener(groups);
    start(controller);
    ControllerCalls calls = new ControllerCalls(controller, control, data);
    RoomForPartitions room = (yes, no) -> yes.run();
    ClusterNodes nodes = new ClusterNodes(view, "cluster", 1, new Partitions());
    AutoTopicCreation creation =
        new AutoTopicCreation(
            TopicCreator.of(calls), room, view, OffsetsTopicSettings.of(settings.texts()));
    ProducerIds producerIds =
        new ProducerIds(
            reply ->
                calls.call(
                    (decider, answer) ->
                        decider.allocateProducerIds(
                            1, view.image().cluster().brokerEpoch(1), answer),
                    reply));
    LoggerConfigs loggers = new LoggerConfigs(1, logLevels);
    registry
        .add(
            ApiKeys.METADATA,
            new MetadataHandler(nodes, creation, settings.autoCreateTopicsEnable()))
        .add(ApiKeys.CREATE_TOPICS, new CreateTopicsHandler(calls, room, new Partitions()))
        .add(ApiKeys.DELETE_TOPICS, new DeleteTopicsHandler(calls))
        .add(ApiKeys.CREATE_PARTITIONS, new CreatePartitionsHandler(calls, room))
        .add(ApiKeys.INCREMENTAL_ALTER_CONFIGS, new IncrementalAlterConfigsHandler(calls, loggers))
        .add(ApiKeys.ALTER_CONFIGS, new AlterConfigsHandler(calls))
        .add(
            ApiKeys.DESCRIBE_CONFIGS,
            new DescribeConfigsHandler(new ConfigDescriptions(settings, view, loggers)))
        .add(ApiKeys.LIST_CONFIG_RESOURCES, new ListConfigResourcesHandler(view))
        .add(ApiKeys.ELECT_LEADERS, new ElectLeadersHandler(calls))
        .add(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, new AlterPartitionReassignmentsHandler(calls))
        .add(ApiKeys.LIST_PARTITION_REASSIGNMENTS, new ListPartitionReassignmentsHandler(view))
        .add(ApiKeys.UPDATE_FEATURES, new UpdateFeaturesHandler(calls))
        .add(ApiKeys.DESCRIBE_QUORUM, new DescribeQuorumHandler(calls, nodes, data.clock()))
        .add(ApiKeys.DESCRIBE_CLUSTER, new DescribeClusterHandler(nodes))
        .add(
            ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
            new DescribeTopicPartitionsHandler(nodes, settings.maxRequestPartitionSizeLimit()))
        .add(ApiKeys.INIT_PRODUCER_ID, new InitProducerIdHandler(producerIds))
        .add(ApiKeys.FIND_COORDINATOR, new FindCoordinatorHandler(nodes, creation, groups))
        .add(ApiKeys.JOIN_GROUP, new JoinGroupHandler(groups))
        .add(ApiKeys.SYNC_GROUP, new SyncGroupHandler(groups))
        .add(ApiKeys.HEARTBEAT, new HeartbeatHandler(groups))
        .add(ApiKeys.LEAVE_GROUP, new LeaveGroupHandler(groups))
        .add(ApiKeys.OFFSET_COMMIT, new OffsetCommitHandler(groups, view))
        .add(ApiKeys.OFFSET_FETCH, new OffsetFetchHandler(groups, view))
        .add(ApiKeys.OFFSET_DELETE, new OffsetDeleteHandler(groups, view))
        .add(ApiKeys.LIST_GROUPS, new ListGroupsHandler(groups))
        .add(ApiKeys.DESCRIBE_GROUPS, new DescribeGroupsHandler(groups))
        .add(ApiKeys.DELETE_GROUPS, new DeleteGroupsHandler(groups))
        .add(
            ApiKeys.CONSUMER_GROUP_HEARTBEAT,
            new ConsumerGroupHeartbeatHandler(
                groups, view, data.randomness().fork("group-members")))
        .add(ApiKeys.CONSUMER_GROUP_DESCRIBE, new ConsumerGroupDescribeHandler(groups, view));
  }

  private void start(Controller controller) {
    try {
      controller.start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    controller.registerBroker(
        new BrokerIncarnation(
            1,
            new Uuid(1, 1),
            List.of(new BrokerIncarnation.Listener("PLAINTEXT", "localhost", 9092, (short) 0)),
            Optional.empty(),
            List.of(new Uuid(7, 7)),
            false),
        new Reply<>() {
          @Override
          public void succeed(Long result) {}

          @Override
          public void fail(Throwable cause) {
            throw new AssertionError(cause);
          }
        });
    runAll();
  }

  /** The APIs that are answered. */
  public Set<ApiKeys> apis() {
    Set<ApiKeys> apis = EnumSet.noneOf(ApiKeys.class);
    registry.advertised().forEach(api -> apis.add(ApiKeys.forId(api.apiKey())));
    return apis;
  }

  /** Runs both shards until nothing is left to do but to wait. */
  public void runAll() {
    for (int i = 0; i < 20; i++) {
      control.runAll();
      data.runAll();
    }
  }

  /** Sends a request on a connection of its own; the answer may come later. */
  public Sent send(AbstractRequest request) {
    FakeConnection peer = new FakeConnection();
    ClientConnection connection =
        new ClientConnection(
            peer, registry, new RequestMetrics(data.clock()), new ClientMistakes(data, data));
    RequestHeader header =
        new RequestHeader(request.apiKey(), request.version(), "test", correlationId++);
    ByteBuffer frame = request.serializeWithHeader(header);
    connection.onFrame(peer, peer.frame(frame));
    runAll();
    return new Sent(peer, header);
  }

  /** Sends a request that is answered without time passing. */
  public <R extends AbstractResponse> R call(AbstractRequest request, Class<R> type) {
    return type.cast(send(request).answer());
  }

  /** A request on its way. */
  public static final class Sent {
    private final FakeConnection peer;
    private final RequestHeader header;

    Sent(FakeConnection peer, RequestHeader header) {
      this.peer = peer;
      this.header = header;
    }

    public boolean isAnswered() {
      return !peer.sent.isEmpty();
    }

    public AbstractResponse answer() {
      if (peer.sent.size() != 1) {
        throw new AssertionError(
            header + " has " + peer.sent.size() + " answers; closed: " + peer.closed);
      }
      OutboundFrame frame = peer.sent.get(0);
      ByteBuffer all = ByteBuffer.allocate(frame.length());
      for (OutboundFrame.Part part : frame.parts()) {
        all.put(((OutboundFrame.Bytes) part).buffer().duplicate());
      }
      all.flip().position(4);
      return AbstractResponse.parseResponse(all, header);
    }
  }
}
