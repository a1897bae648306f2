package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.ControlPlane.Sent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.DeleteGroupsRequest;
import org.apache.kafka.common.requests.DeleteGroupsResponse;
import org.apache.kafka.common.requests.DescribeGroupsRequest;
import org.apache.kafka.common.requests.DescribeGroupsResponse;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.ListGroupsRequest;
import org.apache.kafka.common.requests.ListGroupsResponse;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;

/** What consumers ask of the group "g", and a topic "orders" of two partitions for them. */
final class GroupClient {
  static final long INITIAL_DELAY_MS = 3_000;
  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 20_000;

  private static final Map<String, String> PROPERTIES =
      Map.of(
          "offsets.topic.num.partitions",
          "4",
          "group.initial.rebalance.delay.ms",
          "" + INITIAL_DELAY_MS);

  private ControlPlane plane = new ControlPlane(PROPERTIES);

  GroupClient() {
    createTopic();
    findCoordinator("g");
  }

  ControlPlane plane() {
    return plane;
  }

  /** A new run on what the one before has left. */
  void restart() {
    plane = plane.restarted(PROPERTIES);
  }

  /** Lets time pass. */
  void advance(long ms) {
    plane.data.advance(ms);
    plane.runAll();
  }

  void createTopic() {
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request
        .topics()
        .mustAdd(
            new CreateTopicsRequestData.CreatableTopic()
                .setName("orders")
                .setNumPartitions(2)
                .setReplicationFactor((short) 1));
    plane.send(new CreateTopicsRequest(request, ApiKeys.CREATE_TOPICS.latestVersion()));
  }

  Uuid ordersId() {
    return Objects.requireNonNull(plane.view.image().topics().getTopic("orders")).id();
  }

  FindCoordinatorResponseData.Coordinator findCoordinator(String group) {
    return findCoordinator(0, group);
  }

  FindCoordinatorResponseData.Coordinator findCoordinator(int keyType, String key) {
    return plane
        .call(
            new FindCoordinatorRequest.Builder(
                    new FindCoordinatorRequestData()
                        .setKeyType((byte) keyType)
                        .setCoordinatorKeys(List.of(key)))
                .build(),
            FindCoordinatorResponse.class)
        .data()
        .coordinators()
        .get(0);
  }

  // --- members of a classic group ---

  Sent join(String memberId) {
    return join(ApiKeys.JOIN_GROUP.latestVersion(), memberId, null);
  }

  /** {@code instanceId} is that of a static member, or null. */
  Sent join(short version, String memberId, String instanceId) {
    JoinGroupRequestData data =
        new JoinGroupRequestData()
            .setGroupId("g")
            .setMemberId(memberId)
            .setGroupInstanceId(instanceId)
            .setProtocolType("consumer")
            .setSessionTimeoutMs(SESSION_MS)
            .setRebalanceTimeoutMs(REBALANCE_MS);
    data.protocols()
        .mustAdd(
            new JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata("meta".getBytes(StandardCharsets.UTF_8)));
    return plane.send(new JoinGroupRequest(data, version));
  }

  static JoinGroupResponseData joined(Sent join) {
    return ((JoinGroupResponse) join.answer()).data();
  }

  /** Joins as one who has to ask for an id first; the answer comes when the group is complete. */
  Sent joinAnew() {
    JoinGroupResponseData first = joined(join(""));
    assertThat(Errors.forCode(first.errorCode())).isEqualTo(Errors.MEMBER_ID_REQUIRED);
    return join(first.memberId());
  }

  /** Joins an empty group. */
  JoinGroupResponseData joinAlone() {
    Sent join = joinAnew();
    assertThat(join.isAnswered()).isFalse();
    advance(INITIAL_DELAY_MS);
    return joined(join);
  }

  /** Syncs as the leader does: of each member id and its assignment in turn; none as others do. */
  Sent sync(JoinGroupResponseData member, String... assignments) {
    SyncGroupRequestData data =
        new SyncGroupRequestData()
            .setGroupId("g")
            .setMemberId(member.memberId())
            .setGenerationId(member.generationId())
            .setProtocolType("consumer")
            .setProtocolName("range");
    for (int i = 0; i < assignments.length; i += 2) {
      data.assignments()
          .add(
              new SyncGroupRequestData.SyncGroupRequestAssignment()
                  .setMemberId(assignments[i])
                  .setAssignment(assignments[i + 1].getBytes(StandardCharsets.UTF_8)));
    }
    return plane.send(new SyncGroupRequest(data, ApiKeys.SYNC_GROUP.latestVersion()));
  }

  /** What a sync was answered: the assignment, or the error. */
  static String assigned(Sent sync) {
    SyncGroupResponse answer = (SyncGroupResponse) sync.answer();
    Errors error = Errors.forCode(answer.data().errorCode());
    return error == Errors.NONE
        ? new String(answer.data().assignment(), StandardCharsets.UTF_8)
        : error.name();
  }

  Errors heartbeat(JoinGroupResponseData member) {
    return plane
        .call(
            new HeartbeatRequest.Builder(
                    new HeartbeatRequestData()
                        .setGroupId("g")
                        .setMemberId(member.memberId())
                        .setGenerationId(member.generationId()))
                .build(),
            HeartbeatResponse.class)
        .error();
  }

  Errors leave(JoinGroupResponseData member) {
    LeaveGroupRequestData.MemberIdentity identity =
        new LeaveGroupRequestData.MemberIdentity().setMemberId(member.memberId());
    return plane
        .call(
            new LeaveGroupRequest.Builder("g", List.of(identity)).build(), LeaveGroupResponse.class)
        .error();
  }

  // --- groups ---

  String state() {
    return plane
        .call(
            new DescribeGroupsRequest.Builder(
                    new DescribeGroupsRequestData().setGroups(List.of("g")))
                .build(),
            DescribeGroupsResponse.class)
        .data()
        .groups()
        .get(0)
        .groupState();
  }

  Errors delete() {
    return plane
        .call(
            new DeleteGroupsRequest.Builder(
                    new DeleteGroupsRequestData().setGroupsNames(List.of("g")))
                .build(),
            DeleteGroupsResponse.class)
        .get("g");
  }

  List<String> list() {
    return plane
        .call(
            new ListGroupsRequest.Builder(new ListGroupsRequestData()).build(),
            ListGroupsResponse.class)
        .data()
        .groups()
        .stream()
        .map(group -> group.groupId() + " " + group.groupState() + " " + group.groupType())
        .toList();
  }

  // --- offsets ---

  List<OffsetCommitResponseTopic> commit(
      short version, String topic, Uuid topicId, int partition, long offset) {
    return plane
        .call(
            new OffsetCommitRequest(
                new OffsetCommitRequestData()
                    .setGroupId("g")
                    .setTopics(
                        List.of(
                            new OffsetCommitRequestData.OffsetCommitRequestTopic()
                                .setName(topic)
                                .setTopicId(topicId)
                                .setPartitions(
                                    List.of(
                                        new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                            .setPartitionIndex(partition)
                                            .setCommittedOffset(offset)
                                            .setCommittedMetadata("m"))))),
                version),
            OffsetCommitResponse.class)
        .data()
        .topics();
  }

  /** Commits an offset of the first partition by the topic's name. */
  Errors commit(String topic, long offset) {
    return error(commit((short) 9, topic, Uuid.ZERO_UUID, 0, offset));
  }

  static Errors error(List<OffsetCommitResponseTopic> topics) {
    return Errors.forCode(topics.get(0).partitions().get(0).errorCode());
  }

  OffsetFetchResponseGroup fetch(
      short version, List<OffsetFetchRequestData.OffsetFetchRequestTopics> topics) {
    return plane
        .call(
            OffsetFetchRequest.Builder.forTopicIdsOrNames(
                    new OffsetFetchRequestData()
                        .setGroups(
                            List.of(
                                new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                    .setGroupId("g")
                                    .setTopics(topics))),
                    false)
                .build(version),
            OffsetFetchResponse.class)
        .group("g");
  }

  /** What is committed for the first partition, asked by the topic's name. */
  OffsetFetchResponseGroup fetch(String topic) {
    return fetch((short) 9, List.of(byName(topic)));
  }

  static long offset(OffsetFetchResponseGroup group) {
    return group.topics().get(0).partitions().get(0).committedOffset();
  }

  static OffsetFetchRequestData.OffsetFetchRequestTopics byName(String name) {
    return new OffsetFetchRequestData.OffsetFetchRequestTopics()
        .setName(name)
        .setPartitionIndexes(List.of(0));
  }

  static OffsetFetchRequestData.OffsetFetchRequestTopics byId(Uuid id) {
    return new OffsetFetchRequestData.OffsetFetchRequestTopics()
        .setTopicId(id)
        .setPartitionIndexes(List.of(0));
  }
}
