package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupDescribeRequest;
import org.apache.kafka.common.requests.ConsumerGroupDescribeResponse;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.junit.jupiter.api.Test;

/** Groups whose members get their partitions from the broker (KIP-848). */
class ConsumerGroupTest {
  private static final long INTERVAL_MS = 5_000;
  private static final long SESSION_MS = 45_000;

  private GroupClient groups = new GroupClient();

  private ConsumerMember member() {
    return new ConsumerMember(groups, "c");
  }

  /** All send heartbeats until nothing has changed for some rounds. */
  private void settle(ConsumerMember... members) {
    for (int round = 0; round < 8; round++) {
      for (ConsumerMember member : members) {
        assertThat(member.heartbeat()).isEqualTo(Errors.NONE);
      }
      groups.advance(INTERVAL_MS);
    }
  }

  private DescribedGroup described() {
    return groups
        .plane()
        .call(
            new ConsumerGroupDescribeRequest.Builder(
                    new ConsumerGroupDescribeRequestData().setGroupIds(List.of("c")))
                .build(),
            ConsumerGroupDescribeResponse.class)
        .data()
        .groups()
        .get(0);
  }

  @Test
  void a_member_alone_gets_all_partitions() {
    ConsumerMember member = member();
    settle(member);
    assertThat(member.partitions()).containsExactly(0, 1);
    assertThat(groups.list()).singleElement().asString().startsWith("c ").endsWith(" consumer");
    assertThat(described().members())
        .singleElement()
        .matches(m -> m.memberId().equals(member.id()));
    int epoch = member.epoch();
    settle(member);
    assertThat(member.epoch()).as("nothing has changed").isEqualTo(epoch);
    assertThat(member.leave()).isEqualTo(Errors.NONE);
  }

  @Test
  void two_members_share_and_nobody_has_a_partition_before_the_other_gave_it_up() {
    ConsumerMember first = member();
    settle(first);
    ConsumerMember second = member();
    assertThat(second.heartbeat()).isEqualTo(Errors.NONE);
    assertThat(second.partitions()).isEmpty();
    for (int round = 0; round < 8; round++) {
      for (ConsumerMember member : List.of(second, first)) {
        assertThat(member.heartbeat()).isEqualTo(Errors.NONE);
        assertThat(Collections.disjoint(first.partitions(), second.partitions())).isTrue();
      }
      groups.advance(INTERVAL_MS);
    }
    assertThat(first.partitions()).hasSize(1);
    assertThat(second.partitions()).hasSize(1);

    assertThat(second.leave()).isEqualTo(Errors.NONE);
    settle(first);
    assertThat(first.partitions()).containsExactly(0, 1);
  }

  @Test
  void what_a_silent_member_had_goes_to_the_other() {
    ConsumerMember first = member();
    ConsumerMember second = member();
    settle(first, second);
    assertThat(first.partitions()).hasSize(1);
    for (long silentMs = INTERVAL_MS; silentMs < SESSION_MS; silentMs += INTERVAL_MS) {
      assertThat(first.partitions()).hasSize(1);
      assertThat(first.heartbeat()).isEqualTo(Errors.NONE);
      groups.advance(INTERVAL_MS);
    }
    settle(first);
    assertThat(first.partitions()).containsExactly(0, 1);
    assertThat(second.heartbeat()).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
  }

  @Test
  void members_go_on_after_a_restart_of_the_broker() {
    ConsumerMember first = member();
    ConsumerMember second = member();
    settle(first, second);
    int epoch = first.epoch();
    List<Integer> partitions = first.partitions();
    groups.restart();
    groups.findCoordinator("c");
    settle(first, second);
    assertThat(first.epoch()).isEqualTo(epoch);
    assertThat(first.partitions()).isEqualTo(partitions);
  }

  @Test
  void a_fenced_member_joins_again_with_epoch_zero() {
    // KAFKA-19233
    ConsumerMember member = member();
    settle(member);
    int epoch = member.epoch();
    member.epoch(epoch + 7);
    assertThat(member.heartbeat()).isEqualTo(Errors.FENCED_MEMBER_EPOCH);
    member.epoch(0);
    assertThat(member.heartbeat()).isEqualTo(Errors.NONE);
    settle(member);
    assertThat(member.partitions()).containsExactly(0, 1);
    assertThat(described().members()).hasSize(1);
  }

  @Test
  void a_group_that_became_empty_has_an_assignment_of_its_epoch() {
    // KAFKA-20442
    ConsumerMember first = member();
    ConsumerMember second = member();
    settle(first, second);
    first.leave();
    second.leave();
    for (int run = 0; run < 2; run++) {
      DescribedGroup group = described();
      assertThat(group.groupState()).isEqualTo("Empty");
      assertThat(group.assignmentEpoch()).isEqualTo(group.groupEpoch());
      groups.restart();
      groups.findCoordinator("c");
    }
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
    String one = memberIdOf(request);
    groups = new GroupClient();
    assertThat(one).isNotEmpty().isEqualTo(memberIdOf(request));
  }

  private String memberIdOf(ConsumerGroupHeartbeatRequest request) {
    return groups.plane().call(request, ConsumerGroupHeartbeatResponse.class).data().memberId();
  }
}
