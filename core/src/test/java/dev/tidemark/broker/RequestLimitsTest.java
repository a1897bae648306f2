package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.protocol.ReceivedRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.DescribeConfigsRequest;
import org.apache.kafka.common.requests.DescribeConfigsResponse;
import org.apache.kafka.common.requests.DescribeGroupsRequest;
import org.apache.kafka.common.requests.DescribeGroupsResponse;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

/** What few bytes of a client may ask for. */
class RequestLimitsTest {
  private static final int OFTEN = 20_000;

  private final ControlPlane plane = new ControlPlane(Map.of());

  private CreateTopicsResponse create(int... partitions) {
    CreateTopicsRequestData data = new CreateTopicsRequestData();
    for (int i = 0; i < partitions.length; i++) {
      data.topics()
          .mustAdd(
              new CreatableTopic()
                  .setName("t" + i)
                  .setNumPartitions(partitions[i])
                  .setReplicationFactor((short) 1));
    }
    return plane.call(
        new CreateTopicsRequest(data, ApiKeys.CREATE_TOPICS.latestVersion()),
        CreateTopicsResponse.class);
  }

  @Test
  void aTopicThatIsNamedOftenIsToldOnce() {
    create(100);
    MetadataRequestData data =
        new MetadataRequestData()
            .setTopics(Collections.nCopies(OFTEN, new MetadataRequestTopic().setName("t0")));
    MetadataResponse answer =
        plane.call(new MetadataRequest(data, (short) 12), MetadataResponse.class);
    assertThat(answer.data().topics()).hasSize(1);
  }

  @Test
  void configsThatAreAskedForOftenAreToldOnce() {
    create(1);
    DescribeConfigsRequestData data =
        new DescribeConfigsRequestData()
            .setResources(
                Collections.nCopies(
                    OFTEN,
                    new DescribeConfigsResource()
                        .setResourceType(ConfigResource.Type.TOPIC.id())
                        .setResourceName("t0")));
    DescribeConfigsResponse answer =
        plane.call(new DescribeConfigsRequest(data, (short) 4), DescribeConfigsResponse.class);
    assertThat(answer.data().results()).hasSize(1);
  }

  @Test
  void aGroupThatIsNamedOftenIsDescribedOnce() {
    create(1);
    findCoordinator();
    DescribeGroupsRequestData data =
        new DescribeGroupsRequestData().setGroups(Collections.nCopies(OFTEN, "g"));
    DescribeGroupsResponse answer =
        plane.call(
            new DescribeGroupsRequest.Builder(data).build((short) 6), DescribeGroupsResponse.class);
    assertThat(answer.data().groups()).hasSize(1);
  }

  @Test
  void aRequestMayHaveOnlySoManyNames() {
    List<String> keys = IntStream.range(0, 100_001).mapToObj(i -> "g" + i).toList();
    FindCoordinatorResponse answer =
        plane.call(
            new FindCoordinatorRequest.Builder(
                    new FindCoordinatorRequestData().setKeyType((byte) 1).setCoordinatorKeys(keys))
                .build(),
            FindCoordinatorResponse.class);
    assertThat(answer.errorCounts()).containsOnlyKeys(Errors.INVALID_REQUEST);
    DescribeGroupsResponse groups =
        plane.call(
            new DescribeGroupsRequest.Builder(new DescribeGroupsRequestData().setGroups(keys))
                .build((short) 6),
            DescribeGroupsResponse.class);
    assertThat(groups.errorCounts()).containsOnlyKeys(Errors.INVALID_REQUEST);
  }

  @Test
  void aGroupWhoseOffsetsAreAskedForTwiceInOneRequestIsRefused() {
    OffsetFetchRequestData data =
        new OffsetFetchRequestData()
            .setGroups(
                Collections.nCopies(
                    2, new OffsetFetchRequestGroup().setGroupId("g").setTopics(null)));
    OffsetFetchResponse answer =
        plane.call(
            OffsetFetchRequest.Builder.forTopicNames(data, false).build((short) 9),
            OffsetFetchResponse.class);
    assertThat(answer.errorCounts()).containsKey(Errors.INVALID_REQUEST);
  }

  @Test
  void aRequestCreatesOnlySoManyPartitions() {
    assertThat(create(6000, 6000).errorCounts()).containsOnlyKeys(Errors.POLICY_VIOLATION);
    assertThat(create(1_000_000).errorCounts()).containsOnlyKeys(Errors.POLICY_VIOLATION);
    assertThat(create(1_000_000, -2_000_000).errorCounts())
        .as("a negative number makes no room")
        .containsOnlyKeys(Errors.POLICY_VIOLATION);
    assertThat(plane.view.image().topics().isEmpty()).isTrue();
  }

  @Test
  void whatAMemberTellsMustBeStorable() {
    JoinGroupRequestData data =
        new JoinGroupRequestData()
            .setGroupId("g")
            .setSessionTimeoutMs(10_000)
            .setProtocolType("consumer");
    data.protocols()
        .mustAdd(
            new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(new byte[1_100_000]));
    JoinGroupResponse answer =
        plane.call(new JoinGroupRequest(data, (short) 9), JoinGroupResponse.class);
    assertThat(answer.error()).isEqualTo(Errors.MESSAGE_TOO_LARGE);
  }

  @Test
  void theTextOfACommittedOffsetIsBounded() {
    create(1);
    findCoordinator();
    OffsetCommitResponse answer = commit("x".repeat(4097));
    assertThat(answer.errorCounts()).containsOnlyKeys(Errors.OFFSET_METADATA_TOO_LARGE);
    assertThat(commit("x".repeat(4096)).errorCounts()).containsOnlyKeys(Errors.NONE);
  }

  private void findCoordinator() {
    plane.call(
        new FindCoordinatorRequest.Builder(
                new FindCoordinatorRequestData()
                    .setKeyType((byte) 0)
                    .setCoordinatorKeys(List.of("g")))
            .build(),
        FindCoordinatorResponse.class);
  }

  private OffsetCommitResponse commit(String text) {
    OffsetCommitRequestData data =
        new OffsetCommitRequestData()
            .setGroupId("g")
            .setTopics(
                List.of(
                    new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName("t0")
                        .setPartitions(
                            List.of(
                                new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                    .setPartitionIndex(0)
                                    .setCommittedOffset(3)
                                    .setCommittedMetadata(text)))));
    return plane.call(
        OffsetCommitRequest.Builder.forTopicNames(data).build((short) 9),
        OffsetCommitResponse.class);
  }

  @Test
  void aLargeRequestMayHaveOnlySoManyFields() {
    List<String> groups = Collections.nCopies(1_600_000, "");
    assertThatThrownBy(
            () ->
                ReceivedRequest.parse(
                    frame(
                        ApiKeys.DESCRIBE_GROUPS,
                        (short) 5,
                        new DescribeGroupsRequestData().setGroups(groups))))
        .isInstanceOf(InvalidRequestException.class);
    ProduceRequestData.TopicProduceData topic =
        new ProduceRequestData.TopicProduceData().setName("t").setPartitionData(new ArrayList<>());
    for (int i = 0; i < 1_000_000; i++) {
      topic.partitionData().add(new ProduceRequestData.PartitionProduceData().setIndex(i));
    }
    ProduceRequestData produce = new ProduceRequestData();
    produce.topicData().add(topic);
    assertThatThrownBy(() -> ReceivedRequest.parse(frame(ApiKeys.PRODUCE, (short) 9, produce)))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void aRequestAboutAHundredThousandPartitionsIsRead() {
    OffsetFetchRequestData.OffsetFetchRequestTopics topic =
        new OffsetFetchRequestData.OffsetFetchRequestTopics().setName("t");
    for (int i = 0; i < 100_000; i++) {
      topic.partitionIndexes().add(i);
    }
    OffsetFetchRequestData data =
        new OffsetFetchRequestData()
            .setGroups(
                List.of(new OffsetFetchRequestGroup().setGroupId("g").setTopics(List.of(topic))));
    ReceivedRequest read = ReceivedRequest.parse(frame(ApiKeys.OFFSET_FETCH, (short) 9, data));
    assertThat(read.body().data()).isEqualTo(data);
  }

  private static ByteBuffer frame(ApiKeys api, short version, ApiMessage message) {
    return org.apache.kafka.common.requests.RequestUtils.serialize(
        new RequestHeader(
                new RequestHeaderData()
                    .setRequestApiKey(api.id)
                    .setRequestApiVersion(version)
                    .setClientId("test"),
                api.requestHeaderVersion(version))
            .data(),
        api.requestHeaderVersion(version),
        message,
        version);
  }
}
