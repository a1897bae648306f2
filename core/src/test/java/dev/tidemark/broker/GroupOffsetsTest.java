package dev.tidemark.broker;

import static dev.tidemark.broker.GroupClient.byId;
import static dev.tidemark.broker.GroupClient.byName;
import static dev.tidemark.broker.GroupClient.error;
import static dev.tidemark.broker.GroupClient.offset;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DeleteTopicsRequest;
import org.apache.kafka.common.requests.OffsetDeleteRequest;
import org.apache.kafka.common.requests.OffsetDeleteResponse;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.junit.jupiter.api.Test;

/** Offsets that groups commit. */
class GroupOffsetsTest {
  private final GroupClient groups = new GroupClient();

  @Test
  void offsets_are_committed_and_fetched_by_name_and_by_id() {
    assertThat(groups.commit("orders", 5)).isEqualTo(Errors.NONE);
    OffsetFetchResponseGroup byName = groups.fetch((short) 9, List.of(byName("orders")));
    assertThat(offset(byName)).isEqualTo(5);
    OffsetFetchResponsePartitions partition = byName.topics().get(0).partitions().get(0);
    assertThat(partition.metadata()).isEqualTo("m");
    assertThat(offset(groups.fetch((short) 7, List.of(byName("orders"))))).isEqualTo(5);

    Uuid id = groups.ordersId();
    List<OffsetCommitResponseTopic> byId = groups.commit((short) 10, "", id, 0, 6);
    assertThat(error(byId)).isEqualTo(Errors.NONE);
    assertThat(byId.get(0).topicId()).isEqualTo(id);
    OffsetFetchResponseGroup fetched = groups.fetch((short) 10, List.of(byId(id)));
    assertThat(offset(fetched)).isEqualTo(6);
    assertThat(fetched.topics().get(0).topicId()).isEqualTo(id);

    OffsetFetchResponseGroup all = groups.fetch((short) 10, null);
    assertThat(all.topics()).extracting(OffsetFetchResponseTopics::topicId).containsExactly(id);
  }

  @Test
  void a_group_that_refuses_leaves_the_others_of_the_request_alone() {
    assertThat(groups.commit("orders", 5)).isEqualTo(Errors.NONE);
    assertThat(new ConsumerMember(groups, "c").heartbeat()).isEqualTo(Errors.NONE);
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
    List<OffsetFetchResponseGroup> answered =
        groups
            .plane()
            .call(
                OffsetFetchRequest.Builder.forTopicIdsOrNames(data, false).build((short) 9),
                OffsetFetchResponse.class)
            .data()
            .groups();
    assertThat(Errors.forCode(answered.get(0).errorCode())).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    assertThat(offset(answered.get(1))).isEqualTo(5);
  }

  @Test
  void offsets_of_what_does_not_exist_are_refused() {
    assertThat(groups.commit("nothing", 5)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(error(groups.commit((short) 9, "orders", Uuid.ZERO_UUID, 7, 5)))
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(error(groups.commit((short) 10, "", new Uuid(9, 9), 0, 5)))
        .isEqualTo(Errors.UNKNOWN_TOPIC_ID);
    OffsetFetchResponseGroup fetched = groups.fetch((short) 10, List.of(byId(new Uuid(9, 9))));
    assertThat(fetched.topics().get(0).partitions().get(0).errorCode())
        .isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
    assertThat(offset(groups.fetch("nothing"))).isEqualTo(-1);
  }

  @Test
  void the_offsets_of_a_deleted_topic_go_with_it() {
    groups.commit("orders", 42);
    groups
        .plane()
        .send(
            new DeleteTopicsRequest.Builder(
                    new DeleteTopicsRequestData().setTopicNames(List.of("orders")))
                .build((short) 5));
    assertThat(groups.plane().view.image().topics().getTopic("orders")).isNull();
    assertThat(offset(groups.fetch("orders"))).isEqualTo(-1);

    groups.createTopic();
    assertThat(offset(groups.fetch("orders"))).isEqualTo(-1);
    assertThat(groups.commit("orders", 7)).isEqualTo(Errors.NONE);
  }

  @Test
  void single_offsets_are_deleted() {
    groups.commit("orders", 42);
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
        groups
            .plane()
            .call(new OffsetDeleteRequest.Builder(data).build(), OffsetDeleteResponse.class);

    assertThat(deleted.errorCounts()).containsEntry(Errors.UNKNOWN_TOPIC_OR_PARTITION, 1);
    assertThat(offset(groups.fetch("orders"))).isEqualTo(-1);
  }
}
