package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.tidemark.broker.ControlPlane.Sent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.DescribeQuorumRequest;
import org.junit.jupiter.api.Test;

/** Every version of every request: what answers fill in must fit what the version has room for. */
class RequestVersionsTest {
  private static final byte TOPIC = ConfigResource.Type.TOPIC.id();

  private final ControlPlane plane =
      new ControlPlane(Map.of("group.initial.rebalance.delay.ms", "0"));

  @Test
  void every_version_of_every_request_is_answered() {
    Map<ApiKeys, IntFunction<ApiMessage>> samples = samples();
    assertThat(samples.keySet()).isEqualTo(plane.apis());
    samples.forEach(
        (api, sample) -> {
          for (short version = api.oldestVersion(); version <= api.latestVersion(); version++) {
            answered(api, version, sample.apply(version));
          }
        });
  }

  private void answered(ApiKeys api, short version, ApiMessage data) {
    AbstractRequest request =
        AbstractRequest.parseRequest(
                api,
                version,
                new ByteBufferAccessor(MessageUtil.toByteBufferAccessor(data, version).buffer()))
            .request;
    Sent sent = plane.send(request);
    plane.data.advance(10);
    plane.runAll();
    assertThat(sent.isAnswered()).as(api + " version " + version).isTrue();
    assertThatCode(sent::answer).as(api + " version " + version).doesNotThrowAnyException();
  }

  private static Map<ApiKeys, IntFunction<ApiMessage>> samples() {
    Map<ApiKeys, IntFunction<ApiMessage>> all = new LinkedHashMap<>();
    all.put(ApiKeys.METADATA, RequestVersionsTest::metadata);
    all.put(ApiKeys.OFFSET_COMMIT, RequestVersionsTest::offsetCommit);
    all.put(ApiKeys.OFFSET_FETCH, RequestVersionsTest::offsetFetch);
    all.put(ApiKeys.FIND_COORDINATOR, RequestVersionsTest::findCoordinator);
    all.put(ApiKeys.JOIN_GROUP, RequestVersionsTest::joinGroup);
    all.put(ApiKeys.HEARTBEAT, v -> new HeartbeatRequestData().setGroupId("g"));
    all.put(ApiKeys.LEAVE_GROUP, RequestVersionsTest::leaveGroup);
    all.put(ApiKeys.SYNC_GROUP, RequestVersionsTest::syncGroup);
    all.put(
        ApiKeys.DESCRIBE_GROUPS,
        v -> new DescribeGroupsRequestData().setGroups(List.of("g", "none")));
    all.put(ApiKeys.LIST_GROUPS, v -> new ListGroupsRequestData());
    all.put(ApiKeys.CREATE_TOPICS, RequestVersionsTest::createTopics);
    all.put(ApiKeys.DELETE_TOPICS, RequestVersionsTest::deleteTopics);
    all.put(
        ApiKeys.INIT_PRODUCER_ID, v -> new InitProducerIdRequestData().setTransactionalId(null));
    all.put(ApiKeys.DESCRIBE_CONFIGS, RequestVersionsTest::describeConfigs);
    all.put(ApiKeys.ALTER_CONFIGS, RequestVersionsTest::alterConfigs);
    all.put(ApiKeys.CREATE_PARTITIONS, RequestVersionsTest::createPartitions);
    all.put(
        ApiKeys.DELETE_GROUPS, v -> new DeleteGroupsRequestData().setGroupsNames(List.of("none")));
    all.put(ApiKeys.INCREMENTAL_ALTER_CONFIGS, RequestVersionsTest::incrementalAlterConfigs);
    all.put(ApiKeys.OFFSET_DELETE, v -> new OffsetDeleteRequestData().setGroupId("g"));
    all.put(ApiKeys.DESCRIBE_CLUSTER, v -> new DescribeClusterRequestData());
    all.put(
        ApiKeys.CONSUMER_GROUP_HEARTBEAT,
        v ->
            new ConsumerGroupHeartbeatRequestData()
                .setGroupId("c")
                .setMemberId("m" + v)
                .setRebalanceTimeoutMs(1000)
                .setSubscribedTopicNames(List.of("t"))
                .setTopicPartitions(List.of()));
    all.put(
        ApiKeys.CONSUMER_GROUP_DESCRIBE,
        v -> new ConsumerGroupDescribeRequestData().setGroupIds(List.of("c", "none")));
    all.put(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, v -> new DescribeTopicPartitionsRequestData());
    all.put(ApiKeys.LIST_CONFIG_RESOURCES, v -> new ListConfigResourcesRequestData());
    all.put(ApiKeys.ELECT_LEADERS, v -> new ElectLeadersRequestData().setTopicPartitions(null));
    all.put(
        ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
        v ->
            new AlterPartitionReassignmentsRequestData()
                .setTopics(
                    List.of(
                        new AlterPartitionReassignmentsRequestData.ReassignableTopic()
                            .setName("t")
                            .setPartitions(
                                List.of(
                                    new AlterPartitionReassignmentsRequestData
                                            .ReassignablePartition()
                                        .setReplicas(null))))));
    all.put(ApiKeys.LIST_PARTITION_REASSIGNMENTS, v -> new ListPartitionReassignmentsRequestData());
    all.put(ApiKeys.UPDATE_FEATURES, RequestVersionsTest::updateFeatures);
    all.put(
        ApiKeys.DESCRIBE_QUORUM,
        v -> DescribeQuorumRequest.singletonRequest(new TopicPartition("__cluster_metadata", 0)));
    return all;
  }

  private static ApiMessage updateFeatures(int version) {
    UpdateFeaturesRequestData data = new UpdateFeaturesRequestData();
    data.featureUpdates()
        .mustAdd(
            new UpdateFeaturesRequestData.FeatureUpdateKey()
                .setFeature("group.version")
                .setMaxVersionLevel((short) 1));
    return data;
  }

  private static ApiMessage metadata(int version) {
    return new MetadataRequestData()
        .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName("t")));
  }

  private static ApiMessage offsetCommit(int version) {
    return new OffsetCommitRequestData()
        .setGroupId("g")
        .setTopics(
            List.of(
                new OffsetCommitRequestData.OffsetCommitRequestTopic()
                    .setName(version >= 10 ? "" : "t")
                    .setTopicId(version >= 10 ? new Uuid(1, 2) : Uuid.ZERO_UUID)
                    .setPartitions(
                        List.of(
                            new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(3)))));
  }

  private static ApiMessage offsetFetch(int version) {
    if (version < 8) {
      return new OffsetFetchRequestData()
          .setGroupId("g")
          .setTopics(
              List.of(
                  new OffsetFetchRequestData.OffsetFetchRequestTopic()
                      .setName("t")
                      .setPartitionIndexes(List.of(0))));
    }
    return new OffsetFetchRequestData()
        .setGroups(
            List.of(
                new OffsetFetchRequestData.OffsetFetchRequestGroup()
                    .setGroupId("g")
                    .setTopics(null)));
  }

  private static ApiMessage findCoordinator(int version) {
    FindCoordinatorRequestData data = new FindCoordinatorRequestData();
    return version < 4 ? data.setKey("g") : data.setCoordinatorKeys(List.of("g"));
  }

  private static ApiMessage joinGroup(int version) {
    JoinGroupRequestData data =
        new JoinGroupRequestData()
            .setGroupId("g" + version)
            .setSessionTimeoutMs(10_000)
            .setProtocolType("consumer");
    data.protocols()
        .mustAdd(
            new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(new byte[0]));
    return data;
  }

  private static ApiMessage leaveGroup(int version) {
    LeaveGroupRequestData data = new LeaveGroupRequestData().setGroupId("g");
    return version < 3
        ? data.setMemberId("m")
        : data.setMembers(List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId("m")));
  }

  private static ApiMessage syncGroup(int version) {
    SyncGroupRequestData data = new SyncGroupRequestData().setGroupId("g");
    return version < 5 ? data : data.setProtocolType("consumer").setProtocolName("range");
  }

  private static ApiMessage createTopics(int version) {
    CreateTopicsRequestData data = new CreateTopicsRequestData();
    data.topics()
        .mustAdd(
            new CreateTopicsRequestData.CreatableTopic()
                .setName("v" + version)
                .setNumPartitions(1)
                .setReplicationFactor((short) 1));
    return data;
  }

  private static ApiMessage deleteTopics(int version) {
    DeleteTopicsRequestData data = new DeleteTopicsRequestData();
    return version < 6
        ? data.setTopicNames(List.of("v" + version, "none"))
        : data.setTopics(
            List.of(new DeleteTopicsRequestData.DeleteTopicState().setName("v" + version)));
  }

  private static ApiMessage describeConfigs(int version) {
    return new DescribeConfigsRequestData()
        .setIncludeSynonyms(true)
        .setIncludeDocumentation(version >= 3)
        .setResources(
            List.of(
                new DescribeConfigsRequestData.DescribeConfigsResource()
                    .setResourceType(TOPIC)
                    .setResourceName("t")));
  }

  private static ApiMessage alterConfigs(int version) {
    AlterConfigsRequestData data = new AlterConfigsRequestData();
    data.resources()
        .mustAdd(
            new AlterConfigsRequestData.AlterConfigsResource()
                .setResourceType(TOPIC)
                .setResourceName("t"));
    return data;
  }

  private static ApiMessage incrementalAlterConfigs(int version) {
    IncrementalAlterConfigsRequestData data = new IncrementalAlterConfigsRequestData();
    data.resources()
        .mustAdd(
            new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                .setResourceType(TOPIC)
                .setResourceName("t"));
    return data;
  }

  private static ApiMessage createPartitions(int version) {
    CreatePartitionsRequestData data = new CreatePartitionsRequestData();
    data.topics()
        .mustAdd(
            new CreatePartitionsRequestData.CreatePartitionsTopic()
                .setName("t")
                .setCount(10 + version)
                .setAssignments(null));
    return data;
  }
}
