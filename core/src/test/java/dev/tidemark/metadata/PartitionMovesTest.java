package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.Replicas;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** KIP-455. */
class PartitionMovesTest {
  private final ControlledCluster cluster = ControlledCluster.of(6);

  @BeforeEach
  void create() {
    cluster.create("t", 1, 2);
  }

  private Errors move(Integer... target) {
    return move(true, Arrays.asList(target));
  }

  private Errors cancel() {
    return move(true, null);
  }

  private Errors move(boolean mayResize, @Nullable List<Integer> target) {
    AlterPartitionReassignmentsRequestData request =
        new AlterPartitionReassignmentsRequestData().setAllowReplicationFactorChange(mayResize);
    request
        .topics()
        .add(
            new ReassignableTopic()
                .setName("t")
                .setPartitions(
                    List.of(new ReassignablePartition().setPartitionIndex(0).setReplicas(target))));
    Answer<AlterPartitionReassignmentsResponseData> answer = new Answer<>();
    cluster.controller.alterPartitionReassignments(request, answer);
    cluster.data.runAll();
    return Errors.forCode(answer.get().responses().get(0).partitions().get(0).errorCode());
  }

  private List<Integer> replicas() {
    return Replicas.toList(cluster.partition("t").replicas);
  }

  private List<Integer> adding() {
    return Replicas.toList(cluster.partition("t").addingReplicas);
  }

  private List<Integer> removing() {
    return Replicas.toList(cluster.partition("t").removingReplicas);
  }

  private ListPartitionReassignmentsResponseData list() {
    return OngoingReassignments.list(
        cluster.view.image(), new ListPartitionReassignmentsRequestData().setTopics(null));
  }

  @Test
  void a_partition_keeps_its_replicas_until_the_new_ones_are_in_sync() {
    assertThat(move(3, 4)).isEqualTo(Errors.NONE);

    assertThat(replicas()).containsExactly(3, 4, 1, 2);
    assertThat(adding()).containsExactly(3, 4);
    assertThat(removing()).containsExactly(1, 2);
    assertThat(cluster.isr("t")).containsExactly(1, 2);
    assertThat(cluster.partition("t").leader).isEqualTo(1);
    assertThat(cluster.partition("t").directory(3)).isEqualTo(ControlledCluster.folder(3));
  }

  /** KAFKA-15665. */
  @Test
  void it_ends_only_when_all_that_are_to_stay_are_in_sync() {
    move(3, 4);

    cluster.setIsr("t", 1, 2, 3);
    assertThat(replicas()).containsExactly(3, 4, 1, 2);
    assertThat(list().topics()).hasSize(1);
  }

  /** KAFKA-19212: the election is a clean one. */
  @Test
  void a_leader_that_is_to_go_stops_first() {
    move(3, 4);
    assertThat(cluster.setIsr("t", 1, 2, 3, 4)).isEqualTo(Errors.NEW_LEADER_ELECTED);

    assertThat(cluster.partition("t").leader).isEqualTo(ControlledCluster.NO_LEADER);
    assertThat(replicas()).containsExactly(3, 4, 1, 2);
    cluster.beat(3);
    assertThat(cluster.partition("t").leader).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.beat(1);

    assertThat(cluster.partition("t").leader).isEqualTo(3);
    assertThat(replicas()).containsExactly(3, 4);
    assertThat(cluster.isr("t")).containsExactly(3, 4);
    assertThat(adding()).isEmpty();
    assertThat(removing()).isEmpty();
    assertThat(list().topics()).isEmpty();
    assertThat(cluster.partition("t").leaderRecoveryState).isEqualTo(LeaderRecoveryState.RECOVERED);
  }

  @Test
  void a_leader_that_stays_begins_a_new_epoch_so_that_the_others_are_refused() {
    int epoch = cluster.partition("t").leaderEpoch;
    move(1, 3);
    assertThat(cluster.setIsr("t", 1, 2, 3)).isEqualTo(Errors.NONE);

    assertThat(replicas()).containsExactly(1, 3);
    assertThat(cluster.isr("t")).containsExactly(1, 3);
    assertThat(cluster.partition("t").leader).isEqualTo(1);
    assertThat(cluster.partition("t").leaderEpoch).isEqualTo(epoch + 1);
  }

  @Test
  void replicas_are_added_and_removed() {
    assertThat(move(1, 2, 3)).isEqualTo(Errors.NONE);
    cluster.setIsr("t", 1, 2, 3);
    assertThat(replicas()).containsExactly(1, 2, 3);
    assertThat(adding()).isEmpty();

    assertThat(move(1, 3)).isEqualTo(Errors.NONE);
    assertThat(replicas()).containsExactly(1, 3);
    assertThat(cluster.isr("t")).containsExactly(1, 3);
  }

  @Test
  void another_order_of_the_replicas_takes_effect_at_once() {
    assertThat(move(2, 1)).isEqualTo(Errors.NONE);

    assertThat(replicas()).containsExactly(2, 1);
    assertThat(cluster.partition("t").leader).isEqualTo(1);
  }

  @Test
  void a_cancelled_move_leaves_what_was_before() {
    move(3, 4);
    cluster.setIsr("t", 1, 2, 3);

    assertThat(cancel()).isEqualTo(Errors.NONE);

    assertThat(replicas()).containsExactly(1, 2);
    assertThat(cluster.isr("t")).containsExactly(1, 2);
    assertThat(adding()).isEmpty();
    assertThat(removing()).isEmpty();
    assertThat(cancel()).isEqualTo(Errors.NO_REASSIGNMENT_IN_PROGRESS);
  }

  @Test
  void a_cancelled_move_takes_the_leadership_from_who_was_added_first() {
    move(3, 4);
    cluster.setIsr("t", 1, 2, 3);
    cluster.register(cluster.registrationAfterCleanStop(1)).get();
    assertThat(cluster.partition("t").leader).isEqualTo(3);
    cluster.beat(1);
    cluster.setIsr("t", 1, 2, 3);

    assertThat(cancel()).isEqualTo(Errors.NONE);
    assertThat(cluster.partition("t").leader).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.beat(3);

    assertThat(replicas()).containsExactly(1, 2);
    assertThat(cluster.partition("t").leader).isEqualTo(1);
  }

  @Test
  void a_cancelled_move_keeps_the_only_replica_in_sync_until_the_old_ones_are() {
    move(3, 4);
    cluster.setIsr("t", 1, 2, 3);
    for (int id : List.of(1, 2, 3)) {
      cluster.register(cluster.registrationAfterCleanStop(id)).get();
    }
    cluster.beat(3);
    assertThat(cluster.isr("t")).containsExactly(3);

    assertThat(cancel()).isEqualTo(Errors.NONE);
    assertThat(replicas()).containsExactly(1, 2, 3);
    assertThat(cluster.partition("t").leader).isEqualTo(3);

    cluster.beat(1);
    cluster.beat(2);
    cluster.setIsr("t", 3, 1, 2);
    cluster.beat(3);
    assertThat(replicas()).containsExactly(1, 2);
    assertThat(cluster.partition("t").leader).isEqualTo(1);
  }

  @Test
  void another_target_counts_from_the_replicas_before_the_first_move() {
    move(3, 4);
    assertThat(move(5, 2)).isEqualTo(Errors.NONE);

    assertThat(replicas()).containsExactlyInAnyOrder(5, 2, 1);
    assertThat(adding()).containsExactly(5);
    assertThat(removing()).containsExactly(1);
    cancel();
    assertThat(replicas()).containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void targets_are_checked() {
    assertThat(move()).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
    assertThat(move(3, 3)).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
    assertThat(move(3, 99)).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
    assertThat(move(false, List.of(3))).isEqualTo(Errors.INVALID_REPLICATION_FACTOR);
    assertThat(move(false, List.of(3, 4))).isEqualTo(Errors.NONE);
    assertThat(move(false, List.of(5, 6))).isEqualTo(Errors.NONE);
  }

  @Test
  void throttles_stay_as_they_are() {
    cluster.setConfig(
        ConfigResource.Type.TOPIC, "t", "leader.replication.throttled.replicas", "0:1");
    move(1, 3);
    cluster.setIsr("t", 1, 2, 3);

    assertThat(
            cluster
                .view
                .image()
                .configs()
                .configMapForResource(new ConfigResource(ConfigResource.Type.TOPIC, "t")))
        .containsEntry("leader.replication.throttled.replicas", "0:1");
  }

  @Test
  void a_new_replica_that_dies_keeps_the_move_waiting() {
    move(1, 3);
    cluster.answered(cluster.heartbeat(3).setWantFence(true));

    assertThat(cluster.setIsr("t", 1, 2, 3)).isEqualTo(Errors.INELIGIBLE_REPLICA);
    cluster.beat(3);
    assertThat(cluster.setIsr("t", 1, 2, 3)).isEqualTo(Errors.NONE);
    assertThat(replicas()).containsExactly(1, 3);
  }
}
