package dev.tidemark.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** A sensible request of an API in a version, about one topic that exists. */
final class SampleRequests {
  private final String topic;
  private final Uuid topicId;

  SampleRequests(String topic, Uuid topicId) {
    this.topic = topic;
    this.topicId = topicId;
  }

  ApiMessage of(ApiKeys api, short version) {
    return switch (api) {
      case API_VERSIONS ->
          new ApiVersionsRequestData()
              .setClientSoftwareName("sample")
              .setClientSoftwareVersion("1");
      case PRODUCE -> produce(version);
      case FETCH -> fetch(version);
      case LIST_OFFSETS -> listOffsets();
      case METADATA ->
          new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName(topic)));
      case OFFSET_FOR_LEADER_EPOCH -> leaderEpoch();
      case FIND_COORDINATOR ->
          version >= 4
              ? new FindCoordinatorRequestData().setCoordinatorKeys(List.of("g" + version))
              : new FindCoordinatorRequestData().setKey("g" + version);
      case CREATE_TOPICS -> createTopics(version);
      case DELETE_TOPICS -> deleteTopics(version);
      case DELETE_RECORDS -> deleteRecords();
      case DESCRIBE_CONFIGS ->
          new DescribeConfigsRequestData()
              .setResources(
                  List.of(
                      new DescribeConfigsResource()
                          .setResourceType((byte) 2)
                          .setResourceName(topic)
                          .setConfigurationKeys(null)));
      case DESCRIBE_TOPIC_PARTITIONS ->
          new DescribeTopicPartitionsRequestData()
              .setTopics(List.of(new TopicRequest().setName(topic)));
      case INIT_PRODUCER_ID -> new InitProducerIdRequestData().setTransactionalId(null);
      case JOIN_GROUP -> joinGroup(version);
      case OFFSET_COMMIT -> offsetCommit(version);
      case OFFSET_FETCH -> offsetFetch(version);
      default -> api.messageType.newRequest();
    };
  }

  private ProduceRequestData produce(short version) {
    MemoryRecords records =
        MemoryRecords.withRecords(
            Compression.NONE, new SimpleRecord("x".getBytes(StandardCharsets.UTF_8)));
    TopicProduceData data =
        new TopicProduceData()
            .setPartitionData(
                new ArrayList<>(
                    List.of(new PartitionProduceData().setIndex(0).setRecords(records))));
    data = version >= 13 ? data.setTopicId(topicId) : data.setName(topic);
    ProduceRequestData request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1000);
    request.topicData().add(data);
    return request;
  }

  private FetchRequestData fetch(short version) {
    FetchTopic wanted =
        new FetchTopic()
            .setPartitions(
                List.of(new FetchPartition().setPartition(0).setPartitionMaxBytes(1000)));
    wanted = version >= 13 ? wanted.setTopicId(topicId) : wanted.setTopic(topic);
    return new FetchRequestData().setMaxWaitMs(1).setMinBytes(1).setTopics(List.of(wanted));
  }

  private ListOffsetsRequestData listOffsets() {
    return new ListOffsetsRequestData()
        .setReplicaId(-1)
        .setTopics(
            List.of(
                new ListOffsetsTopic()
                    .setName(topic)
                    .setPartitions(
                        List.of(
                            new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1)))));
  }

  private OffsetForLeaderEpochRequestData leaderEpoch() {
    OffsetForLeaderTopic asked =
        new OffsetForLeaderTopic()
            .setTopic(topic)
            .setPartitions(
                List.of(new OffsetForLeaderPartition().setPartition(0).setLeaderEpoch(0)));
    OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
    request.topics().add(asked);
    return request;
  }

  private static CreateTopicsRequestData createTopics(short version) {
    CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(10_000);
    request
        .topics()
        .add(
            new CreatableTopic()
                .setName("made-in-" + version)
                .setNumPartitions(1)
                .setReplicationFactor((short) 1));
    return request;
  }

  private static DeleteTopicsRequestData deleteTopics(short version) {
    DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(10_000);
    return version >= 6
        ? request.setTopics(List.of(new DeleteTopicState().setName("made-in-" + version)))
        : request.setTopicNames(List.of("made-in-" + version));
  }

  private DeleteRecordsRequestData deleteRecords() {
    return new DeleteRecordsRequestData()
        .setTimeoutMs(10_000)
        .setTopics(
            List.of(
                new DeleteRecordsTopic()
                    .setName(topic)
                    .setPartitions(
                        List.of(new DeleteRecordsPartition().setPartitionIndex(0).setOffset(0)))));
  }

  private static JoinGroupRequestData joinGroup(short version) {
    JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
    protocols.add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[0]));
    return new JoinGroupRequestData()
        .setGroupId("join-" + version)
        .setProtocolType("consumer")
        .setSessionTimeoutMs(10_000)
        .setRebalanceTimeoutMs(version >= 1 ? 10_000 : -1)
        .setProtocols(protocols);
  }

  private OffsetCommitRequestData offsetCommit(short version) {
    OffsetCommitRequestTopic committed =
        new OffsetCommitRequestTopic()
            .setPartitions(
                List.of(
                    new OffsetCommitRequestPartition().setPartitionIndex(0).setCommittedOffset(1)));
    committed = version >= 10 ? committed.setTopicId(topicId) : committed.setName(topic);
    return new OffsetCommitRequestData()
        .setGroupId("commit-" + version)
        .setTopics(List.of(committed));
  }

  private static OffsetFetchRequestData offsetFetch(short version) {
    if (version >= 8) {
      return new OffsetFetchRequestData()
          .setGroups(List.of(new OffsetFetchRequestGroup().setGroupId("commit-9").setTopics(null)));
    }
    OffsetFetchRequestData request = new OffsetFetchRequestData().setGroupId("commit-2");
    return version >= 2 ? request.setTopics(null) : request.setTopics(List.of());
  }
}
