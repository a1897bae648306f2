package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.log.Batches;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.DeleteRecordsRequest;
import org.apache.kafka.common.requests.DeleteRecordsResponse;
import org.apache.kafka.common.requests.DeleteTopicsRequest;
import org.apache.kafka.common.requests.DeleteTopicsResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a broker makes of the folder that another run left. */
class BrokerRestartTest {
  private static final String TOPIC = "events";
  private static final long ONE_CHECKPOINT_MS = 61_000;

  private final VirtualDisk disk = new VirtualDisk(1);
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private SimBroker broker;

  @BeforeEach
  void start() throws IOException {
    broker = SimBroker.formatted(disk, clock);
  }

  private Errors create(String topic) {
    CreateTopicsRequestData data = new CreateTopicsRequestData();
    data.topics()
        .add(
            new CreatableTopic()
                .setName(topic)
                .setNumPartitions(1)
                .setReplicationFactor((short) 1));
    CreateTopicsResponse response =
        broker.call(
            new CreateTopicsRequest(data, ApiKeys.CREATE_TOPICS.latestVersion()),
            CreateTopicsResponse.class);
    return Errors.forCode(response.data().topics().iterator().next().errorCode());
  }

  private void delete(String topic) {
    broker.call(
        new DeleteTopicsRequest.Builder(new DeleteTopicsRequestData().setTopicNames(List.of(topic)))
            .build((short) 5),
        DeleteTopicsResponse.class);
  }

  private Errors produce(String topic, int records) {
    Errors last = Errors.NONE;
    for (int i = 0; i < records; i++) {
      ProduceRequestData data = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1000);
      data.topicData()
          .add(
              new TopicProduceData()
                  .setName(topic)
                  .setPartitionData(
                      List.of(
                          new PartitionProduceData()
                              .setIndex(0)
                              .setRecords(
                                  MemoryRecords.readableRecords(
                                      heap(Batches.plain(clock.wallMs(), "v" + i)))))));
      ProduceResponse response =
          broker.call(new ProduceRequest(data, (short) 9), ProduceResponse.class);
      last =
          Errors.forCode(
              response
                  .data()
                  .responses()
                  .iterator()
                  .next()
                  .partitionResponses()
                  .get(0)
                  .errorCode());
    }
    return last;
  }

  private static ByteBuffer heap(ByteBuffer direct) {
    return ByteBuffer.allocate(direct.remaining()).put(direct).flip();
  }

  private ListOffsetsPartitionResponse offset(String topic, long timestamp) {
    ListOffsetsRequestData data =
        new ListOffsetsRequestData()
            .setReplicaId(-1)
            .setTopics(
                List.of(
                    new ListOffsetsTopic()
                        .setName(topic)
                        .setPartitions(
                            List.of(
                                new ListOffsetsPartition()
                                    .setPartitionIndex(0)
                                    .setTimestamp(timestamp)))));
    return broker
        .call(request(data), ListOffsetsResponse.class)
        .data()
        .topics()
        .get(0)
        .partitions()
        .get(0);
  }

  private static ListOffsetsRequest request(ListOffsetsRequestData data) {
    short version = 9;
    return (ListOffsetsRequest)
        AbstractRequest.parseRequest(
                ApiKeys.LIST_OFFSETS, version, MessageUtil.toByteBufferAccessor(data, version))
            .request;
  }

  private long earliest(String topic) {
    return offset(topic, ListOffsetsRequest.EARLIEST_TIMESTAMP).offset();
  }

  private long latest(String topic) {
    return offset(topic, ListOffsetsRequest.LATEST_TIMESTAMP).offset();
  }

  private void deleteRecordsBelow(String topic, long offset) {
    broker.call(
        new DeleteRecordsRequest.Builder(
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
            .build(),
        DeleteRecordsResponse.class);
  }

  private Directory folder() {
    return disk.root().directory("data");
  }

  @Test
  void aTopicCreatedAgainKnowsNothingOfTheOneBefore() {
    create(TOPIC);
    produce(TOPIC, 20);
    deleteRecordsBelow(TOPIC, 15);
    broker.advanceMs(ONE_CHECKPOINT_MS);
    delete(TOPIC);
    create(TOPIC);
    produce(TOPIC, 3);

    broker = broker.killedAndStarted();
    assertThat(earliest(TOPIC)).isZero();
    assertThat(latest(TOPIC)).isEqualTo(3);
  }

  @Test
  void whatDeleteRecordsRemovedStaysRemovedAfterACleanStop() {
    create(TOPIC);
    produce(TOPIC, 20);
    deleteRecordsBelow(TOPIC, 15);
    broker = broker.stoppedAndStarted();
    assertThat(earliest(TOPIC)).isEqualTo(15);
    assertThat(latest(TOPIC)).isEqualTo(20);
  }

  @Test
  void aDamagedPartitionIsReportedAtEveryStartAndHoldsUpNoOther() throws IOException {
    create(TOPIC);
    create("others");
    produce(TOPIC, 20);
    produce("others", 1);
    broker = broker.stoppedAndStarted();
    disk.rot("data/events-0/00000000000000000000.log", 100);

    broker = broker.killedAndStarted();
    assertThat(produce("others", 1)).isEqualTo(Errors.NONE);
    assertThat(produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker.advanceMs(ONE_CHECKPOINT_MS);
    broker = broker.killedAndStarted();
    assertThat(produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    broker = broker.stoppedAndStarted();
    assertThat(produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    assertThat(latest("others")).isEqualTo(2);
  }

  @Test
  void aPartitionWhoseFilesAreGoneIsNotServedAsIfItWereEmpty() throws IOException {
    create(TOPIC);
    produce(TOPIC, 20);
    broker = broker.stoppedAndStarted();
    for (String name : folder().directory("events-0").list()) {
      folder().directory("events-0").delete(name);
    }
    broker = broker.stoppedAndStarted();
    assertThat(produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
  }

  @Test
  void withoutItsMetadataLogANodeDoesNotStartOverItsOwnData() throws IOException {
    create(TOPIC);
    produce(TOPIC, 1);
    folder().delete("__cluster_metadata-0");
    assertThatThrownBy(() -> broker.killedAndStarted())
        .hasMessageContaining("__cluster_metadata-0 is missing")
        .hasMessageContaining("events-0");
  }

  @Test
  void aDamagedPartitionCanBeDeletedAndItsNameUsedAgain() {
    create(TOPIC);
    produce(TOPIC, 20);
    broker = broker.stoppedAndStarted();
    disk.rot("data/events-0/00000000000000000000.log", 100);
    broker = broker.killedAndStarted();
    assertThat(produce(TOPIC, 1)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

    delete(TOPIC);
    assertThat(create(TOPIC)).isEqualTo(Errors.NONE);
    assertThat(produce(TOPIC, 2)).isEqualTo(Errors.NONE);
    assertThat(latest(TOPIC)).isEqualTo(2);
  }

  @Test
  void aFolderOfATopicThatIsNoMoreIsSetAsideAndItsNameIsFree() throws IOException {
    create(TOPIC);
    produce(TOPIC, 1);
    delete(TOPIC);
    // As if the broker had died between the decision and the renaming.
    String deleted =
        folder().list().stream().filter(name -> name.endsWith("-delete")).findFirst().get();
    folder().rename(deleted, "events-0");

    broker = broker.killedAndStarted();
    assertThat(folder().list()).anyMatch(name -> name.matches("events-0\\..*-stray"));
    assertThat(create(TOPIC)).isEqualTo(Errors.NONE);
    assertThat(produce(TOPIC, 2)).isEqualTo(Errors.NONE);
    assertThat(latest(TOPIC)).isEqualTo(2);
  }

  @Test
  void everyAcknowledgedRecordIsThereAfterAKill() {
    create(TOPIC);
    produce(TOPIC, 50);
    broker = broker.killedAndStarted();
    assertThat(latest(TOPIC)).isEqualTo(50);
    assertThat(produce(TOPIC, 1)).isEqualTo(Errors.NONE);
    assertThat(latest(TOPIC)).isEqualTo(51);
  }
}
