package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.ControlPlane.Sent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
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
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupDescribeRequest;
import org.apache.kafka.common.requests.ConsumerGroupDescribeResponse;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.DeleteGroupsRequest;
import org.apache.kafka.common.requests.DeleteGroupsResponse;
import org.apache.kafka.common.requests.DeleteTopicsRequest;
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
import org.apache.kafka.common.requests.OffsetDeleteRequest;
import org.apache.kafka.common.requests.OffsetDeleteResponse;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GroupRequestsTest {
  private static final Map<String, String> PROPERTIES =
      Map.of("offsets.topic.num.partitions", "4", "group.initial.rebalance.delay.ms", "3000");

  private ControlPlane plane = new ControlPlane(PROPERTIES);

  @BeforeEach
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
    findCoordinator("g");
  }

  private FindCoordinatorResponseData.Coordinator findCoordinator(String group) {
    return plane
        .call(
            new FindCoordinatorRequest.Builder(
                    new FindCoordinatorRequestData()
                        .setKeyType((byte) 0)
                        .setCoordinatorKeys(List.of(group)))
                .build(),
            FindCoordinatorResponse.class)
        .data()
        .coordinators()
        .get(0);
  }

  private Uuid ordersId() {
    return Objects.requireNonNull(plane.view.image().topics().getTopic("orders")).id();
  }

  @Test
  void the_first_group_creates_the_offsets_topic() {
    assertThat(findCoordinator("g").nodeId()).isEqualTo(1);
    assertThat(findCoordinator("g").port()).isEqualTo(9092);
    var topic = Objects.requireNonNull(plane.view.image().topics().getTopic("__consumer_offsets"));
    assertThat(topic.partitions()).hasSize(4);
  }

  @Test
  void a_transactional_coordinator_is_refused_in_words() {
    var answer =
        plane
            .call(
                new FindCoordinatorRequest.Builder(
                        new FindCoordinatorRequestData()
                            .setKeyType((byte) 1)
                            .setCoordinatorKeys(List.of("tx")))
                    .build(),
                FindCoordinatorResponse.class)
            .data()
            .coordinators()
            .get(0);
    assertThat(answer.errorMessage()).contains("transactional.id");
  }

  private Sent join(String memberId) {
    JoinGroupRequestData data =
        new JoinGroupRequestData()
            .setGroupId("g")
            .setMemberId(memberId)
            .setProtocolType("consumer")
            .setSessionTimeoutMs(10_000)
            .setRebalanceTimeoutMs(20_000);
    data.protocols()
        .mustAdd(
            new JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata("meta".getBytes(StandardCharsets.UTF_8)));
    return plane.send(new JoinGroupRequest(data, ApiKeys.JOIN_GROUP.latestVersion()));
  }

  private JoinGroupResponseData joinCompletely() {
    JoinGroupResponseData first = ((JoinGroupResponse) join("").answer()).data();
    assertThat(Errors.forCode(first.errorCode())).isEqualTo(Errors.MEMBER_ID_REQUIRED);
    Sent second = join(first.memberId());
    assertThat(second.isAnswered()).isFalse();
    plane.data.advance(3000);
    plane.runAll();
    return ((JoinGroupResponse) second.answer()).data();
  }

  private SyncGroupResponse sync(JoinGroupResponseData joined) {
    SyncGroupRequestData data =
        new SyncGroupRequestData()
            .setGroupId("g")
            .setMemberId(joined.memberId())
            .setGenerationId(joined.generationId())
            .setProtocolType("consumer")
            .setProtocolName("range")
            .setAssignments(
                List.of(
                    new SyncGroupRequestData.SyncGroupRequestAssignment()
                        .setMemberId(joined.memberId())
                        .setAssignment("mine".getBytes(StandardCharsets.UTF_8))));
    return plane.call(
        new SyncGroupRequest(data, ApiKeys.SYNC_GROUP.latestVersion()), SyncGroupResponse.class);
  }

  private Errors heartbeat(JoinGroupResponseData joined) {
    return plane
        .call(
            new HeartbeatRequest.Builder(
                    new HeartbeatRequestData()
                        .setGroupId("g")
                        .setMemberId(joined.memberId())
                        .setGenerationId(joined.generationId()))
                .build(),
            HeartbeatResponse.class)
        .error();
  }

  @Test
  void a_classic_group_forms_after_the_initial_delay_and_lives_by_heartbeats() {
    JoinGroupResponseData joined = joinCompletely();
    assertThat(joined.leader()).isEqualTo(joined.memberId());
    assertThat(joined.generationId()).isEqualTo(1);

    assertThat(sync(joined).data().assignment()).asString().isNotNull();
    assertThat(new String(sync(joined).data().assignment(), StandardCharsets.UTF_8))
        .isEqualTo("mine");
    assertThat(heartbeat(joined)).isEqualTo(Errors.NONE);

    plane.data.advance(9_000);
    assertThat(heartbeat(joined)).isEqualTo(Errors.NONE);
    plane.data.advance(11_000);
    plane.runAll();
    assertThat(heartbeat(joined)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
  }

  @Test
  void a_member_leaves_and_the_group_is_empty_and_can_be_deleted() {
    JoinGroupResponseData joined = joinCompletely();
    sync(joined);
    assertThat(groupState()).isEqualTo("Stable");
    assertThat(deleteGroup()).isEqualTo(Errors.NON_EMPTY_GROUP);

    LeaveGroupResponse left =
        plane.call(
            new LeaveGroupRequest.Builder(
                    "g",
                    List.of(
                        new LeaveGroupRequestData.MemberIdentity().setMemberId(joined.memberId())))
                .build(),
            LeaveGroupResponse.class);
    assertThat(left.error()).isEqualTo(Errors.NONE);
    assertThat(groupState()).isEqualTo("Empty");
    assertThat(deleteGroup()).isEqualTo(Errors.NONE);
    assertThat(listGroups()).isEmpty();
  }

  private String groupState() {
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

  private Errors deleteGroup() {
    return plane
        .call(
            new DeleteGroupsRequest.Builder(
                    new DeleteGroupsRequestData().setGroupsNames(List.of("g")))
                .build(),
            DeleteGroupsResponse.class)
        .get("g");
  }

  private List<String> listGroups() {
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

  private List<OffsetCommitResponseTopic> commit(
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

  private static Errors error(List<OffsetCommitResponseTopic> topics) {
    return Errors.forCode(topics.get(0).partitions().get(0).errorCode());
  }

  private OffsetFetchResponseGroup fetch(
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

  private static long offset(OffsetFetchResponseGroup group) {
    return group.topics().get(0).partitions().get(0).committedOffset();
  }

  private static OffsetFetchRequestData.OffsetFetchRequestTopics byName(String name) {
    return new OffsetFetchRequestData.OffsetFetchRequestTopics()
        .setName(name)
        .setPartitionIndexes(List.of(0));
  }

  private static OffsetFetchRequestData.OffsetFetchRequestTopics byId(Uuid id) {
    return new OffsetFetchRequestData.OffsetFetchRequestTopics()
        .setTopicId(id)
        .setPartitionIndexes(List.of(0));
  }

  @Test
  void offsets_are_committed_and_fetched_by_name_and_by_id() {
    assertThat(error(commit((short) 9, "orders", Uuid.ZERO_UUID, 0, 5))).isEqualTo(Errors.NONE);
    assertThat(offset(fetch((short) 9, List.of(byName("orders"))))).isEqualTo(5);
    assertThat(offset(fetch((short) 7, List.of(byName("orders"))))).isEqualTo(5);

    List<OffsetCommitResponseTopic> byId = commit((short) 10, "", ordersId(), 0, 6);
    assertThat(error(byId)).isEqualTo(Errors.NONE);
    assertThat(byId.get(0).topicId()).isEqualTo(ordersId());
    OffsetFetchResponseGroup fetched = fetch((short) 10, List.of(byId(ordersId())));
    assertThat(offset(fetched)).isEqualTo(6);
    assertThat(fetched.topics().get(0).topicId()).isEqualTo(ordersId());

    OffsetFetchResponseGroup all = fetch((short) 10, null);
    assertThat(all.topics())
        .extracting(OffsetFetchResponseTopics::topicId)
        .containsExactly(ordersId());
  }

  @Test
  void a_group_that_refuses_leaves_the_others_of_the_request_alone() {
    assertThat(error(commit((short) 9, "orders", Uuid.ZERO_UUID, 0, 5))).isEqualTo(Errors.NONE);
    assertThat(consumerHeartbeat("member", 0).data().errorCode()).isZero();
    OffsetFetchRequestData data =
        new OffsetFetchRequestData()
            .setGroups(
                List.of(
                    new OffsetFetchRequestData.OffsetFetchRequestGroup()
                        .setGroupId("c")
                        .setMemberId("nobody")
                        .setMemberEpoch(3)
                        .setTopics(null),
                    new OffsetFetchRequestData.OffsetFetchRequestGroup()
                        .setGroupId("g")
                        .setTopics(null)));
    List<OffsetFetchResponseGroup> groups =
        plane
            .call(
                OffsetFetchRequest.Builder.forTopicIdsOrNames(data, false).build((short) 9),
                OffsetFetchResponse.class)
            .data()
            .groups();
    assertThat(Errors.forCode(groups.get(0).errorCode())).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    assertThat(offset(groups.get(1))).isEqualTo(5);
  }

  @Test
  void offsets_of_what_does_not_exist_are_refused() {
    assertThat(error(commit((short) 9, "nothing", Uuid.ZERO_UUID, 0, 5)))
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(error(commit((short) 9, "orders", Uuid.ZERO_UUID, 7, 5)))
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(error(commit((short) 10, "", new Uuid(9, 9), 0, 5)))
        .isEqualTo(Errors.UNKNOWN_TOPIC_ID);
    OffsetFetchResponseGroup fetched = fetch((short) 10, List.of(byId(new Uuid(9, 9))));
    assertThat(fetched.topics().get(0).partitions().get(0).errorCode())
        .isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
    assertThat(offset(fetch((short) 9, List.of(byName("nothing"))))).isEqualTo(-1);
  }

  @Test
  void offsets_and_groups_are_there_again_after_a_restart() {
    commit((short) 9, "orders", Uuid.ZERO_UUID, 0, 42);
    JoinGroupResponseData joined = joinCompletely();
    sync(joined);

    plane = plane.restarted(PROPERTIES);
    findCoordinator("g");
    assertThat(offset(fetch((short) 9, List.of(byName("orders"))))).isEqualTo(42);
    assertThat(listGroups()).containsExactly("g Stable classic");
    assertThat(heartbeat(joined)).isEqualTo(Errors.NONE);
  }

  @Test
  void a_group_is_told_to_wait_until_its_partition_is_open() {
    commit((short) 9, "orders", Uuid.ZERO_UUID, 0, 42);
    plane = plane.restarted(PROPERTIES);
    plane.offsets.setOpen(false);
    findCoordinator("g");
    assertThat(fetch((short) 9, List.of(byName("orders"))).errorCode())
        .isEqualTo(Errors.COORDINATOR_LOAD_IN_PROGRESS.code());

    plane.offsets.setOpen(true);
    plane.data.advance(20);
    plane.runAll();
    assertThat(offset(fetch((short) 9, List.of(byName("orders"))))).isEqualTo(42);
  }

  @Test
  void the_offsets_of_a_deleted_topic_go_with_it() {
    commit((short) 9, "orders", Uuid.ZERO_UUID, 0, 42);
    plane.send(
        new DeleteTopicsRequest.Builder(
                new DeleteTopicsRequestData().setTopicNames(List.of("orders")))
            .build((short) 5));
    assertThat(plane.view.image().topics().getTopic("orders")).isNull();
    assertThat(offset(fetch((short) 9, List.of(byName("orders"))))).isEqualTo(-1);

    createTopic();
    assertThat(offset(fetch((short) 9, List.of(byName("orders"))))).isEqualTo(-1);
    assertThat(error(commit((short) 9, "orders", Uuid.ZERO_UUID, 0, 7))).isEqualTo(Errors.NONE);
  }

  @Test
  void a_stopped_coordinator_ends_what_waits_for_it() {
    JoinGroupResponseData first = ((JoinGroupResponse) join("").answer()).data();
    Sent waiting = join(first.memberId());
    assertThat(waiting.isAnswered()).isFalse();

    plane.groups.stop();
    plane.runAll();
    assertThat(waiting.isAnswered()).isTrue();
  }

  @Test
  void single_offsets_are_deleted() {
    commit((short) 9, "orders", Uuid.ZERO_UUID, 0, 42);
    OffsetDeleteRequestData data = new OffsetDeleteRequestData().setGroupId("g");
    data.topics()
        .mustAdd(
            new OffsetDeleteRequestData.OffsetDeleteRequestTopic()
                .setName("orders")
                .setPartitions(
                    List.of(
                        new OffsetDeleteRequestData.OffsetDeleteRequestPartition()
                            .setPartitionIndex(0),
                        new OffsetDeleteRequestData.OffsetDeleteRequestPartition()
                            .setPartitionIndex(9))));
    OffsetDeleteResponse deleted =
        plane.call(new OffsetDeleteRequest.Builder(data).build(), OffsetDeleteResponse.class);

    assertThat(deleted.errorCounts()).containsEntry(Errors.UNKNOWN_TOPIC_OR_PARTITION, 1);
    assertThat(offset(fetch((short) 9, List.of(byName("orders"))))).isEqualTo(-1);
  }

  private ConsumerGroupHeartbeatResponse consumerHeartbeat(String memberId, int epoch) {
    return plane.call(
        new ConsumerGroupHeartbeatRequest.Builder(
                new ConsumerGroupHeartbeatRequestData()
                    .setGroupId("c")
                    .setMemberId(memberId)
                    .setMemberEpoch(epoch)
                    .setRebalanceTimeoutMs(30_000)
                    .setSubscribedTopicNames(epoch == 0 ? List.of("orders") : null)
                    .setTopicPartitions(epoch == 0 ? List.of() : null))
            .build(),
        ConsumerGroupHeartbeatResponse.class);
  }

  @Test
  void a_consumer_group_of_the_new_protocol_gets_its_partitions_from_the_broker() {
    String member = Uuid.randomUuid().toString();
    ConsumerGroupHeartbeatResponse first = consumerHeartbeat(member, 0);
    assertThat(Errors.forCode(first.data().errorCode())).isEqualTo(Errors.NONE);

    ConsumerGroupHeartbeatResponse answer = first;
    for (int i = 0; i < 5 && answer.data().assignment() == null; i++) {
      plane.data.advance(5000);
      plane.runAll();
      answer = consumerHeartbeat(member, answer.data().memberEpoch());
    }

    var assignment = Objects.requireNonNull(answer.data().assignment());
    assertThat(assignment.topicPartitions()).hasSize(1);
    assertThat(assignment.topicPartitions().get(0).topicId()).isEqualTo(ordersId());
    assertThat(assignment.topicPartitions().get(0).partitions()).containsExactlyInAnyOrder(0, 1);
    assertThat(listGroups()).singleElement().asString().startsWith("c ").endsWith(" consumer");
    var described =
        plane
            .call(
                new ConsumerGroupDescribeRequest.Builder(
                        new ConsumerGroupDescribeRequestData().setGroupIds(List.of("c")))
                    .build(),
                ConsumerGroupDescribeResponse.class)
            .data()
            .groups()
            .get(0);
    assertThat(described.members()).hasSize(1);

    ConsumerGroupHeartbeatResponse left = consumerHeartbeat(member, -1);
    assertThat(Errors.forCode(left.data().errorCode())).isEqualTo(Errors.NONE);
  }

  @Test
  void a_member_of_the_new_protocol_that_falls_silent_is_removed() {
    String member = Uuid.randomUuid().toString();
    int epoch = consumerHeartbeat(member, 0).data().memberEpoch();
    plane.data.advance(46_000);
    plane.runAll();

    assertThat(Errors.forCode(consumerHeartbeat(member, epoch).data().errorCode()))
        .isEqualTo(Errors.UNKNOWN_MEMBER_ID);
  }

  @Test
  void a_member_without_an_id_gets_the_same_one_from_the_same_seed() {
    ConsumerGroupHeartbeatRequestData data =
        new ConsumerGroupHeartbeatRequestData()
            .setGroupId("c")
            .setRebalanceTimeoutMs(30_000)
            .setSubscribedTopicNames(List.of("orders"))
            .setTopicPartitions(List.of());
    ConsumerGroupHeartbeatRequest request =
        new ConsumerGroupHeartbeatRequest.Builder(data).build((short) 0);
    String one = plane.call(request, ConsumerGroupHeartbeatResponse.class).data().memberId();
    plane = new ControlPlane(PROPERTIES);
    createTopic();
    String other = plane.call(request, ConsumerGroupHeartbeatResponse.class).data().memberId();
    assertThat(one).isNotEmpty().isEqualTo(other);
  }
}
