package dev.tidemark.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
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

/** A sensible request of each API that reads or writes records, about one topic that exists. */
final class SampleRequests {
  static final Set<ApiKeys> APIS =
      Set.of(
          ApiKeys.API_VERSIONS,
          ApiKeys.PRODUCE,
          ApiKeys.FETCH,
          ApiKeys.LIST_OFFSETS,
          ApiKeys.OFFSET_FOR_LEADER_EPOCH,
          ApiKeys.DELETE_RECORDS);

  private final String topic;
  private final Uuid topicId;

  SampleRequests(String topic, Uuid topicId) {
    this.topic = topic;
    this.topicId = topicId;
  }

  /** Frames of all of them in every version. */
  static List<byte[]> ofAllVersions(String topic, Uuid topicId) {
    SampleRequests samples = new SampleRequests(topic, topicId);
    List<byte[]> frames = new ArrayList<>();
    for (ApiKeys api : new java.util.TreeSet<>(APIS)) {
      for (short version : api.allVersions()) {
        frames.add(FrameCorpus.frame(api, version, samples.of(api, version)));
      }
    }
    return frames;
  }

  ApiMessage of(ApiKeys api, short version) {
    return switch (api) {
      case API_VERSIONS ->
          new ApiVersionsRequestData()
              .setClientSoftwareName("sample")
              .setClientSoftwareVersion("1");
      case PRODUCE -> produce(version, Compression.NONE);
      case FETCH -> fetch(version);
      case LIST_OFFSETS -> listOffsets();
      case OFFSET_FOR_LEADER_EPOCH -> leaderEpoch();
      case DELETE_RECORDS -> deleteRecords();
      default -> throw new IllegalArgumentException("no sample of " + api);
    };
  }

  ProduceRequestData produce(short version, Compression codec) {
    MemoryRecords records =
        MemoryRecords.withRecords(codec, new SimpleRecord("x".getBytes(StandardCharsets.UTF_8)));
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
}
