package dev.tidemark.broker;

import dev.tidemark.log.Batches;
import dev.tidemark.sim.VirtualClock;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirCollection;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopicCollection;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopicCollection;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfigCollection;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopicCollection;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AlterReplicaLogDirsRequest;
import org.apache.kafka.common.requests.AlterReplicaLogDirsResponse;
import org.apache.kafka.common.requests.CreatePartitionsRequest;
import org.apache.kafka.common.requests.CreatePartitionsResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.DeleteRecordsRequest;
import org.apache.kafka.common.requests.DeleteRecordsResponse;
import org.apache.kafka.common.requests.DeleteTopicsRequest;
import org.apache.kafka.common.requests.DeleteTopicsResponse;
import org.apache.kafka.common.requests.DescribeLogDirsRequest;
import org.apache.kafka.common.requests.DescribeLogDirsResponse;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.jspecify.annotations.Nullable;

/** What a client asks of a {@link SimBroker}, one call for each request. */
final class SimClient {
  private final SimBroker broker;
  private final VirtualClock clock;

  SimClient(SimBroker broker, VirtualClock clock) {
    this.broker = broker;
    this.clock = clock;
  }

  /** Creates a topic of one partition; {@code configs} are keys and values in turn. */
  Errors create(String topic, String... configs) {
    return create(topic, 1, configs);
  }

  Errors create(String topic, int partitions, String... configs) {
    return Errors.forCode(created(topic, partitions, configs).errorCode());
  }

  /** What somebody is told whose topic is not created; null when it is. */
  @Nullable String whyNotCreated(String topic) {
    return created(topic, 1).errorMessage();
  }

  private CreatableTopicResult created(String topic, int partitions, String... configs) {
    CreateTopicsRequestData data = new CreateTopicsRequestData();
    CreatableTopic creatable =
        new CreatableTopic()
            .setName(topic)
            .setNumPartitions(partitions)
            .setReplicationFactor((short) 1);
    for (int i = 0; i < configs.length; i += 2) {
      creatable
          .configs()
          .mustAdd(new CreatableTopicConfig().setName(configs[i]).setValue(configs[i + 1]));
    }
    data.topics().add(creatable);
    CreateTopicsResponse response =
        broker.call(
            new CreateTopicsRequest(data, ApiKeys.CREATE_TOPICS.latestVersion()),
            CreateTopicsResponse.class);
    return response.data().topics().iterator().next();
  }

  void delete(String topic) {
    broker.call(deleteRequest(topic), DeleteTopicsResponse.class);
  }

  /** Asks for the deletion of a topic and does not wait. */
  void beginDeletion(String topic) {
    broker.post(deleteRequest(topic));
  }

  private static DeleteTopicsRequest deleteRequest(String topic) {
    return new DeleteTopicsRequest.Builder(
            new DeleteTopicsRequestData().setTopicNames(List.of(topic)))
        .build((short) 5);
  }

  Errors produce(String topic, int records) {
    Errors last = Errors.NONE;
    for (int i = 0; i < records; i++) {
      last = produce(topic, 0, Batches.plain(clock.wallMs(), "v" + i));
    }
    return last;
  }

  /** What a refused producer is told; null when it is not refused. */
  @Nullable String whyRefused(String topic) {
    return produceBatch(topic, 0, Batches.plain(clock.wallMs(), "v")).errorMessage();
  }

  Errors produce(String topic, int partition, ByteBuffer batch) {
    return Errors.forCode(produceBatch(topic, partition, batch).errorCode());
  }

  private PartitionProduceResponse produceBatch(String topic, int partition, ByteBuffer batch) {
    return acknowledged(
        broker.call(produceRequest(topic, partition, batch), ProduceResponse.class));
  }

  /** Sends a batch for partition 0; it may be acknowledged later. */
  SimExchange send(String topic, ByteBuffer batch) {
    return broker.send(produceRequest(topic, 0, batch));
  }

  /** What {@link #send} is answered. */
  static PartitionProduceResponse acknowledged(SimExchange sent) {
    return acknowledged(sent.answer(ProduceResponse.class));
  }

  private static PartitionProduceResponse acknowledged(ProduceResponse response) {
    return response.data().responses().iterator().next().partitionResponses().get(0);
  }

  /** Produces one record and does not wait. */
  void beginProduce(String topic) {
    broker.post(produceRequest(topic, 0, Batches.plain(clock.wallMs(), "v")));
  }

  private static ProduceRequest produceRequest(String topic, int partition, ByteBuffer batch) {
    ProduceRequestData data = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1000);
    data.topicData()
        .add(
            new TopicProduceData()
                .setName(topic)
                .setPartitionData(
                    List.of(
                        new PartitionProduceData()
                            .setIndex(partition)
                            .setRecords(MemoryRecords.readableRecords(heap(batch))))));
    return new ProduceRequest(data, (short) 9);
  }

  /** How a fetch from the start ends. */
  Errors fetchError(String topic) {
    return Errors.forCode(fetch(SimFetch.of(topic, earliest(topic))).errorCode());
  }

  /** The first part of the answer to a fetch that need not wait. */
  PartitionData fetch(SimFetch fetch) {
    return SimFetch.parts(broker.call(fetch.request(), FetchResponse.class)).get(0);
  }

  private static ByteBuffer heap(ByteBuffer direct) {
    return ByteBuffer.allocate(direct.remaining()).put(direct).flip();
  }

  ListOffsetsPartitionResponse offset(String topic, long timestamp) {
    return offset(topic, 0, timestamp);
  }

  ListOffsetsPartitionResponse offset(String topic, int partition, long timestamp) {
    return offset(topic, partition, timestamp, IsolationLevel.READ_UNCOMMITTED);
  }

  /** As a reader of committed records is told. */
  ListOffsetsPartitionResponse committedOffset(String topic, long timestamp) {
    return offset(topic, 0, timestamp, IsolationLevel.READ_COMMITTED);
  }

  private ListOffsetsPartitionResponse offset(
      String topic, int partition, long timestamp, IsolationLevel isolation) {
    ListOffsetsRequestData data =
        new ListOffsetsRequestData()
            .setReplicaId(-1)
            .setIsolationLevel(isolation.id())
            .setTopics(
                List.of(
                    new ListOffsetsTopic()
                        .setName(topic)
                        .setPartitions(
                            List.of(
                                new ListOffsetsPartition()
                                    .setPartitionIndex(partition)
                                    .setTimestamp(timestamp)))));
    return broker
        .call(request(data), ListOffsetsResponse.class)
        .data()
        .topics()
        .get(0)
        .partitions()
        .get(0);
  }

  MetadataResponsePartition metadata(String topic) {
    return broker
        .call(new MetadataRequest.Builder(List.of(topic), false).build(), MetadataResponse.class)
        .data()
        .topics()
        .find(topic)
        .partitions()
        .get(0);
  }

  /** Asks to move partition 0 of a topic to a folder. */
  Errors move(String topic, String path) {
    AlterReplicaLogDirsResponse response =
        broker.call(moveRequest(topic, path), AlterReplicaLogDirsResponse.class);
    return Errors.forCode(response.data().results().get(0).partitions().get(0).errorCode());
  }

  /** Asks for the same and does not wait: nothing has happened yet. */
  void beginMove(String topic, String path) {
    broker.post(moveRequest(topic, path));
  }

  private static AlterReplicaLogDirsRequest moveRequest(String topic, String path) {
    AlterReplicaLogDirTopicCollection topics = new AlterReplicaLogDirTopicCollection();
    topics.add(new AlterReplicaLogDirTopic().setName(topic).setPartitions(List.of(0)));
    AlterReplicaLogDirCollection dirs = new AlterReplicaLogDirCollection();
    dirs.add(new AlterReplicaLogDir().setPath(path).setTopics(topics));
    return new AlterReplicaLogDirsRequest.Builder(
            new AlterReplicaLogDirsRequestData().setDirs(dirs))
        .build();
  }

  /** The data folders, by path. */
  Map<String, DescribeLogDirsResult> logDirs(short version) {
    return logDirs(broker.call(describeLogDirsRequest(version), DescribeLogDirsResponse.class));
  }

  /** Asks for the data folders; the answer may come later. */
  SimExchange describeLogDirs() {
    return broker.send(describeLogDirsRequest((short) 4));
  }

  /** What {@link #describeLogDirs} is answered, by path. */
  static Map<String, DescribeLogDirsResult> logDirs(SimExchange asked) {
    return logDirs(asked.answer(DescribeLogDirsResponse.class));
  }

  private static DescribeLogDirsRequest describeLogDirsRequest(short version) {
    return new DescribeLogDirsRequest.Builder(new DescribeLogDirsRequestData().setTopics(null))
        .build(version);
  }

  private static Map<String, DescribeLogDirsResult> logDirs(DescribeLogDirsResponse response) {
    Map<String, DescribeLogDirsResult> found = new TreeMap<>();
    response.data().results().forEach(dir -> found.put(dir.logDir(), dir));
    return found;
  }

  int leaderEpoch(String topic) {
    return offset(topic, ListOffsetsRequest.LATEST_TIMESTAMP).leaderEpoch();
  }

  private static ListOffsetsRequest request(ListOffsetsRequestData data) {
    short version = 9;
    return (ListOffsetsRequest)
        AbstractRequest.parseRequest(
                ApiKeys.LIST_OFFSETS, version, MessageUtil.toByteBufferAccessor(data, version))
            .request;
  }

  long earliest(String topic) {
    return offset(topic, ListOffsetsRequest.EARLIEST_TIMESTAMP).offset();
  }

  long latest(String topic) {
    return offset(topic, ListOffsetsRequest.LATEST_TIMESTAMP).offset();
  }

  /** Raises the log start of partition 0; returns the new one, or how it was refused. */
  DeleteRecordsPartitionResult deleteRecordsBelow(String topic, long offset) {
    return broker
        .call(deleteRecordsRequest(topic, offset), DeleteRecordsResponse.class)
        .data()
        .topics()
        .find(topic)
        .partitions()
        .find(0);
  }

  /** Sets a config of a topic, or takes it back if {@code value} is null. */
  Errors alter(String topic, String key, @Nullable String value) {
    return alter(ConfigResource.Type.TOPIC, topic, key, value);
  }

  /** The same of a config of all brokers. */
  Errors alterBrokers(String key, @Nullable String value) {
    return alter(ConfigResource.Type.BROKER, "", key, value);
  }

  private Errors alter(ConfigResource.Type type, String name, String key, @Nullable String value) {
    AlterConfigOp.OpType operation =
        value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET;
    AlterableConfigCollection configs = new AlterableConfigCollection();
    configs.add(
        new AlterableConfig().setName(key).setValue(value).setConfigOperation(operation.id()));
    IncrementalAlterConfigsRequestData data = new IncrementalAlterConfigsRequestData();
    data.resources()
        .add(
            new AlterConfigsResource()
                .setResourceType(type.id())
                .setResourceName(name)
                .setConfigs(configs));
    IncrementalAlterConfigsResponse response =
        broker.call(
            new IncrementalAlterConfigsRequest.Builder(data).build(),
            IncrementalAlterConfigsResponse.class);
    return Errors.forCode(response.data().responses().get(0).errorCode());
  }

  /** Raises the number of a topic's partitions. */
  Errors partitions(String topic, int count) {
    CreatePartitionsTopicCollection topics = new CreatePartitionsTopicCollection();
    topics.add(new CreatePartitionsTopic().setName(topic).setCount(count).setAssignments(null));
    CreatePartitionsResponse response =
        broker.call(
            new CreatePartitionsRequest.Builder(
                    new CreatePartitionsRequestData().setTopics(topics).setTimeoutMs(1000))
                .build(),
            CreatePartitionsResponse.class);
    return Errors.forCode(response.data().results().get(0).errorCode());
  }

  /** Where a leader epoch ends, asked by one who knows that of the leader as {@code current}. */
  EpochEndOffset epochEnd(String topic, int epoch, int current) {
    OffsetForLeaderTopicCollection topics = new OffsetForLeaderTopicCollection();
    topics.add(
        new OffsetForLeaderTopic()
            .setTopic(topic)
            .setPartitions(
                List.of(
                    new OffsetForLeaderPartition()
                        .setPartition(0)
                        .setCurrentLeaderEpoch(current)
                        .setLeaderEpoch(epoch))));
    return broker
        .call(
            OffsetsForLeaderEpochRequest.Builder.forConsumer(topics).build(),
            OffsetsForLeaderEpochResponse.class)
        .data()
        .topics()
        .find(topic)
        .partitions()
        .get(0);
  }

  /** Asks to delete all records that are committed now, and does not wait. */
  void beginDeletingRecords(String topic) {
    broker.post(deleteRecordsRequest(topic, DeleteRecordsRequest.HIGH_WATERMARK));
  }

  private static DeleteRecordsRequest deleteRecordsRequest(String topic, long offset) {
    return new DeleteRecordsRequest.Builder(
            new DeleteRecordsRequestData()
                .setTopics(
                    List.of(
                        new DeleteRecordsTopic()
                            .setName(topic)
                            .setPartitions(
                                List.of(
                                    new DeleteRecordsPartition()
                                        .setPartitionIndex(0)
                                        .setOffset(offset))))))
        .build();
  }
}
