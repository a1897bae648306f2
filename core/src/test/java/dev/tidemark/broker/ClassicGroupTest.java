package dev.tidemark.broker;

import static dev.tidemark.broker.GroupClient.INITIAL_DELAY_MS;
import static dev.tidemark.broker.GroupClient.REBALANCE_MS;
import static dev.tidemark.broker.GroupClient.SESSION_MS;
import static dev.tidemark.broker.GroupClient.assigned;
import static dev.tidemark.broker.GroupClient.joined;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.ControlPlane.Sent;
import java.util.List;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Groups whose members agree on their partitions among themselves. */
class ClassicGroupTest {
  private static final short BEFORE_MEMBER_IDS = 3;
  private static final short NOW = 9;

  private final GroupClient groups = new GroupClient();

  /** Two members that have joined, the leader first. */
  private List<JoinGroupResponseData> pair() {
    Sent one = groups.joinAnew();
    Sent other = groups.joinAnew();
    return complete(one, other);
  }

  private List<JoinGroupResponseData> complete(Sent one, Sent other) {
    for (int i = 0; i < 5 && !(one.isAnswered() && other.isAnswered()); i++) {
      groups.advance(INITIAL_DELAY_MS);
    }
    JoinGroupResponseData first = joined(one);
    JoinGroupResponseData second = joined(other);
    assertThat(first.generationId()).isEqualTo(second.generationId());
    assertThat(first.leader()).isEqualTo(second.leader());
    return first.leader().equals(first.memberId())
        ? List.of(first, second)
        : List.of(second, first);
  }

  private void syncPair(JoinGroupResponseData leader, JoinGroupResponseData other) {
    Sent waiting = groups.sync(other);
    assertThat(waiting.isAnswered()).as("before the leader has decided").isFalse();
    Sent decided = groups.sync(leader, leader.memberId(), "0", other.memberId(), "1");
    assertThat(assigned(decided)).isEqualTo("0");
    assertThat(assigned(waiting)).isEqualTo("1");
    assertThat(groups.state()).isEqualTo("Stable");
  }

  /** Rejoins at once and is alone; the generation is the next one. */
  private void takesOver(JoinGroupResponseData left) {
    assertThat(groups.heartbeat(left)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
    JoinGroupResponseData alone = joined(groups.join(left.memberId()));
    assertThat(alone.generationId()).isEqualTo(left.generationId() + 1);
    assertThat(alone.leader()).isEqualTo(left.memberId());
    assertThat(alone.members()).hasSize(1);
    assertThat(assigned(groups.sync(alone, alone.memberId(), "0 1"))).isEqualTo("0 1");
    assertThat(groups.heartbeat(alone)).isEqualTo(Errors.NONE);
  }

  @Test
  void a_group_forms_after_the_initial_delay_and_lives_by_heartbeats() {
    JoinGroupResponseData joined = groups.joinAlone();
    assertThat(joined.leader()).isEqualTo(joined.memberId());
    assertThat(joined.generationId()).isEqualTo(1);

    assertThat(assigned(groups.sync(joined, joined.memberId(), "mine"))).isEqualTo("mine");
    assertThat(groups.heartbeat(joined)).isEqualTo(Errors.NONE);

    groups.advance(SESSION_MS - 1000);
    assertThat(groups.heartbeat(joined)).isEqualTo(Errors.NONE);
    groups.advance(SESSION_MS + 1000);
    assertThat(groups.heartbeat(joined)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
  }

  @Test
  void a_member_leaves_and_the_group_is_empty_and_can_be_deleted() {
    JoinGroupResponseData joined = groups.joinAlone();
    groups.sync(joined, joined.memberId(), "mine");
    assertThat(groups.state()).isEqualTo("Stable");
    assertThat(groups.delete()).isEqualTo(Errors.NON_EMPTY_GROUP);

    assertThat(groups.leave(joined)).isEqualTo(Errors.NONE);
    assertThat(groups.state()).isEqualTo("Empty");
    assertThat(groups.delete()).isEqualTo(Errors.NONE);
    assertThat(groups.list()).isEmpty();
  }

  @Test
  void two_members_get_what_the_leader_gives_each_and_the_one_left_takes_over() {
    List<JoinGroupResponseData> members = pair();
    assertThat(members.get(0).members())
        .extracting(JoinGroupResponseMember::memberId)
        .containsExactlyInAnyOrder(members.get(0).memberId(), members.get(1).memberId());
    assertThat(members.get(1).members()).isEmpty();
    syncPair(members.get(0), members.get(1));
    for (int i = 0; i < 10; i++) {
      groups.advance(SESSION_MS / 2);
      assertThat(groups.heartbeat(members.get(0))).isEqualTo(Errors.NONE);
      assertThat(groups.heartbeat(members.get(1))).isEqualTo(Errors.NONE);
    }
    assertThat(assigned(groups.sync(members.get(1)))).as("told again").isEqualTo("1");
    assertThat(groups.leave(members.get(0))).isEqualTo(Errors.NONE);
    takesOver(members.get(1));
  }

  @Test
  void the_place_of_a_silent_member_is_free_after_its_session() {
    List<JoinGroupResponseData> members = pair();
    syncPair(members.get(0), members.get(1));
    groups.advance(SESSION_MS / 2);
    assertThat(groups.heartbeat(members.get(1))).isEqualTo(Errors.NONE);
    groups.advance(SESSION_MS / 2 + 1);
    takesOver(members.get(1));
    assertThat(groups.heartbeat(members.get(0))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
  }

  @Test
  void a_member_that_joins_later_makes_the_others_join_again() {
    JoinGroupResponseData first = groups.joinAlone();
    groups.sync(first, first.memberId(), "0 1");
    Sent second = groups.joinAnew();
    assertThat(second.isAnswered()).isFalse();
    assertThat(groups.heartbeat(first)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
    List<JoinGroupResponseData> members = complete(groups.join(first.memberId()), second);
    assertThat(members.get(0).generationId()).isEqualTo(2);
    syncPair(members.get(0), members.get(1));
  }

  @Test
  void a_member_that_never_syncs_does_not_hold_up_the_group() {
    // KAFKA-12890
    List<JoinGroupResponseData> members = pair();
    JoinGroupResponseData leader = members.get(0);
    JoinGroupResponseData other = members.get(1);
    Sent decided = groups.sync(leader, leader.memberId(), "0", other.memberId(), "1");
    assertThat(assigned(decided)).isEqualTo("0");
    for (long passedMs = 0; passedMs < REBALANCE_MS; passedMs += 5_000) {
      groups.heartbeat(leader);
      groups.heartbeat(other); // it lives, and never asks what it got
      groups.advance(5_000);
    }
    groups.advance(1);
    takesOver(leader);
  }

  @Test
  void a_leader_that_never_decides_does_not_hold_up_the_group() {
    List<JoinGroupResponseData> members = pair();
    Sent waiting = groups.sync(members.get(1));
    for (long passedMs = 0; passedMs < REBALANCE_MS; passedMs += 5_000) {
      groups.heartbeat(members.get(0));
      groups.advance(5_000);
    }
    groups.advance(1);
    assertThat(assigned(waiting)).isEqualTo(Errors.REBALANCE_IN_PROGRESS.name());
    takesOver(members.get(1));
  }

  @Test
  void a_static_member_that_comes_back_fences_the_one_before_and_disturbs_nobody() {
    Sent one = groups.join(NOW, "", "static");
    Sent other = groups.joinAnew();
    List<JoinGroupResponseData> members = complete(one, other);
    syncPair(members.get(0), members.get(1));
    JoinGroupResponseData before = joined(one);
    JoinGroupResponseData back = joined(groups.join(NOW, "", "static"));
    assertThat(Errors.forCode(back.errorCode())).isEqualTo(Errors.NONE);
    assertThat(back.memberId()).isNotEqualTo(before.memberId());
    assertThat(back.generationId()).isEqualTo(before.generationId());
    assertThat(groups.heartbeat(joined(other))).isEqualTo(Errors.NONE);
    assertThat(assigned(groups.sync(back)))
        .as("what the one before had")
        .isEqualTo(before.memberId().equals(members.get(0).memberId()) ? "0" : "1");
    assertThat(groups.heartbeat(before)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    assertThat(groups.heartbeat(back)).isEqualTo(Errors.NONE);
  }

  @Test
  void an_old_client_leads_a_group_with_a_static_member() {
    // KAFKA-14422
    Sent old = groups.join(BEFORE_MEMBER_IDS, "", null);
    Sent fixed = groups.join(NOW, "", "static");
    List<JoinGroupResponseData> members = complete(old, fixed);
    JoinGroupResponseData leader = members.get(0);
    assertThat(leader.leader()).isEqualTo(joined(old).memberId());
    assertThat(leader.members()).hasSize(2);
    syncPair(members.get(0), members.get(1));
  }
}
