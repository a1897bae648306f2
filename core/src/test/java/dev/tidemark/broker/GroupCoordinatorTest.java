package dev.tidemark.broker;

import static dev.tidemark.broker.GroupClient.offset;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.ControlPlane.Sent;
import java.util.Objects;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** The coordinator of all groups: where it is, and how it starts and stops. */
class GroupCoordinatorTest {
  private final GroupClient groups = new GroupClient();

  @Test
  void the_first_group_creates_the_offsets_topic() {
    assertThat(groups.findCoordinator("g").nodeId()).isEqualTo(1);
    assertThat(groups.findCoordinator("g").port()).isEqualTo(9092);
    var topics = groups.plane().view.image().topics();
    var topic = Objects.requireNonNull(topics.getTopic("__consumer_offsets"));
    assertThat(topic.partitions()).hasSize(4);
  }

  @Test
  void a_transactional_coordinator_is_refused_in_words() {
    assertThat(groups.findCoordinator(1, "tx").errorMessage()).contains("transactional.id");
  }

  @Test
  void offsets_and_groups_are_there_again_after_a_restart() {
    groups.commit("orders", 42);
    JoinGroupResponseData joined = groups.joinAlone();
    groups.sync(joined, joined.memberId(), "mine");

    groups.restart();
    groups.findCoordinator("g");
    assertThat(offset(groups.fetch("orders"))).isEqualTo(42);
    assertThat(groups.list()).containsExactly("g Stable classic");
    assertThat(groups.heartbeat(joined)).isEqualTo(Errors.NONE);
  }

  @Test
  void a_group_is_told_to_wait_until_its_partition_is_open() {
    groups.commit("orders", 42);
    groups.restart();
    groups.plane().offsets.setOpen(false);
    groups.findCoordinator("g");
    assertThat(groups.fetch("orders").errorCode())
        .isEqualTo(Errors.COORDINATOR_LOAD_IN_PROGRESS.code());

    groups.plane().offsets.setOpen(true);
    groups.advance(20);
    assertThat(offset(groups.fetch("orders"))).isEqualTo(42);
  }

  @Test
  void a_stopped_coordinator_ends_what_waits_for_it() {
    Sent waiting = groups.joinAnew();
    assertThat(waiting.isAnswered()).isFalse();

    groups.plane().groups.stop();
    groups.plane().runAll();
    assertThat(waiting.isAnswered()).isTrue();
  }
}
