package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.StaleBrokerEpochException;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.PartitionData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IsrAlterationTest {
  private final ControlledCluster cluster = ControlledCluster.of(4);

  @BeforeEach
  void create() {
    cluster.create("t", 1, 2, 3);
  }

  private Errors propose(PartitionData proposal) {
    return Errors.forCode(cluster.propose(1, "t", proposal).errorCode());
  }

  @Test
  void a_leader_takes_a_follower_out_and_in_again() {
    int epoch = cluster.partition("t").partitionEpoch;

    AlterPartitionResponseData.PartitionData out =
        cluster.propose(1, "t", cluster.proposal("t", 1, 3));
    assertThat(out.errorCode()).isZero();
    assertThat(out.isr()).containsExactly(1, 3);
    assertThat(out.partitionEpoch()).isEqualTo(epoch + 1);
    assertThat(out.leaderEpoch()).isEqualTo(cluster.partition("t").leaderEpoch).isZero();
    assertThat(cluster.isr("t")).containsExactly(1, 3);
    assertThat(cluster.partition("t").partitionEpoch).isEqualTo(epoch + 1);

    assertThat(cluster.setIsr("t", 1, 2, 3)).isEqualTo(Errors.NONE);
    assertThat(cluster.isr("t")).containsExactly(1, 2, 3);
  }

  @Test
  void the_older_version_names_ids_only() {
    PartitionData proposal = cluster.proposal("t");
    proposal.setNewIsr(List.of(1, 2));

    assertThat(propose(proposal)).isEqualTo(Errors.NONE);
    assertThat(cluster.isr("t")).containsExactly(1, 2);
  }

  @Test
  void an_old_partition_epoch_is_refused() {
    PartitionData old = cluster.proposal("t", 1, 2);
    cluster.setIsr("t", 1, 3);

    assertThat(propose(old)).isEqualTo(Errors.INVALID_UPDATE_VERSION);
    assertThat(cluster.isr("t")).containsExactly(1, 3);
  }

  /** KAFKA-14144. */
  @Test
  void what_is_there_already_is_accepted_again_because_the_answer_was_lost() {
    PartitionData proposal = cluster.proposal("t", 1, 3);
    cluster.propose(1, "t", proposal);
    int batches = cluster.log.batches.size();

    AlterPartitionResponseData.PartitionData again = cluster.propose(1, "t", proposal);

    assertThat(again.errorCode()).isZero();
    assertThat(again.partitionEpoch()).isEqualTo(cluster.partition("t").partitionEpoch);
    assertThat(cluster.log.batches).hasSize(batches);
  }

  @Test
  void an_old_leader_epoch_is_refused() {
    PartitionData old = cluster.proposal("t", 1, 2);
    cluster.join(1);

    assertThat(propose(old)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
  }

  @Test
  void epochs_that_are_not_known_here_come_from_a_later_controller() {
    PartitionData leader = cluster.proposal("t", 1, 2);
    assertThat(propose(leader.setLeaderEpoch(5))).isEqualTo(Errors.NOT_CONTROLLER);
    PartitionData partition = cluster.proposal("t", 1, 2);
    assertThat(propose(partition.setPartitionEpoch(5))).isEqualTo(Errors.NOT_CONTROLLER);
  }

  @Test
  void only_the_leader_may_ask() {
    assertThat(Errors.forCode(cluster.propose(2, "t", cluster.proposal("t", 1, 2)).errorCode()))
        .isEqualTo(Errors.INVALID_REQUEST);
  }

  @Test
  void an_isr_holds_the_leader_and_each_replica_once() {
    assertThat(propose(cluster.proposal("t", 2, 3))).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(propose(cluster.proposal("t", 1, 4))).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(propose(cluster.proposal("t", 1, 1))).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(propose(cluster.proposal("t"))).isEqualTo(Errors.INVALID_REQUEST);
  }

  /** KAFKA-13916, KAFKA-14140. */
  @Test
  void brokers_that_are_fenced_or_stop_may_not_be_in_an_isr() {
    cluster.setIsr("t", 1);
    cluster.answered(cluster.heartbeat(2).setWantFence(true));
    assertThat(cluster.setIsr("t", 1, 2)).isEqualTo(Errors.INELIGIBLE_REPLICA);

    cluster.beat(3);
    cluster.answered(cluster.heartbeat(3).setWantShutDown(true));
    assertThat(cluster.broker(3).inControlledShutdown()).isTrue();
    assertThat(cluster.setIsr("t", 1, 3)).isEqualTo(Errors.INELIGIBLE_REPLICA);
  }

  /** KIP-903. */
  @Test
  void a_follower_that_registered_anew_since_the_leader_saw_it_may_not_be_in_an_isr() {
    cluster.setIsr("t", 1, 3);
    PartitionData old = cluster.proposal("t", 1, 2, 3);
    cluster.join(2);

    assertThat(propose(old)).isEqualTo(Errors.INELIGIBLE_REPLICA);
    assertThat(cluster.setIsr("t", 1, 2, 3)).isEqualTo(Errors.NONE);
  }

  @Test
  void an_old_run_of_the_leader_is_refused_as_a_whole() {
    AlterPartitionRequestData request =
        new AlterPartitionRequestData().setBrokerId(1).setBrokerEpoch(cluster.epochs.get(1) - 1);
    Answer<AlterPartitionResponseData> answer = new Answer<>();
    cluster.controller.alterPartition(request, answer);

    assertThat(answer.failure).isInstanceOf(StaleBrokerEpochException.class);
  }

  @Test
  void unknown_topics_and_partitions_are_told() {
    assertThat(propose(cluster.proposal("t", 1, 2).setPartitionIndex(9)))
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);

    AlterPartitionRequestData request =
        new AlterPartitionRequestData().setBrokerId(1).setBrokerEpoch(cluster.epochs.get(1));
    request
        .topics()
        .add(
            new AlterPartitionRequestData.TopicData()
                .setTopicId(new Uuid(3, 3))
                .setPartitions(List.of(new PartitionData())));
    Answer<AlterPartitionResponseData> answer = new Answer<>();
    cluster.controller.alterPartition(request, answer);
    assertThat(answer.get().topics().get(0).partitions().get(0).errorCode())
        .isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
  }

  @Test
  void a_leader_does_not_begin_to_recover_by_itself() {
    PartitionData proposal = cluster.proposal("t", 1);
    proposal.setLeaderRecoveryState(LeaderRecoveryState.RECOVERING.value());

    assertThat(propose(proposal)).isEqualTo(Errors.INVALID_REQUEST);
  }

  @Test
  void a_leader_must_know_the_last_change_of_the_floor() {
    cluster.setConfig(ConfigResource.Type.TOPIC, "t", "min.insync.replicas", "3");
    assertThat(cluster.setIsr("t", 1, 2)).isEqualTo(Errors.OPERATION_NOT_ATTEMPTED);
    cluster.beat(1);
    assertThat(cluster.setIsr("t", 1, 2)).isEqualTo(Errors.NONE);

    cluster.setConfig(ConfigResource.Type.BROKER, "", "min.insync.replicas", "3");
    assertThat(cluster.setIsr("t", 1)).isEqualTo(Errors.OPERATION_NOT_ATTEMPTED);
    cluster.beat(1);
    assertThat(cluster.setIsr("t", 1)).isEqualTo(Errors.NONE);
  }

  @Test
  void nor_does_it_hear_of_an_isr_that_is_there_before_it_knows_the_floor() {
    cluster.setConfig(ConfigResource.Type.TOPIC, "t", "min.insync.replicas", "1");
    PartitionData proposal = cluster.proposal("t", 1, 2);
    cluster.setConfig(ConfigResource.Type.TOPIC, "t", "min.insync.replicas", "3");
    cluster.answered(cluster.heartbeat(3).setWantFence(true));
    assertThat(cluster.isr("t")).containsExactly(1, 2);

    assertThat(propose(proposal)).isEqualTo(Errors.INVALID_UPDATE_VERSION);
    cluster.beat(1);
    assertThat(propose(proposal)).isEqualTo(Errors.NONE);
  }

  @Test
  void a_new_controller_does_not_know_when_the_floor_changed_last() {
    cluster.failOver();
    assertThat(cluster.setIsr("t", 1, 2)).isEqualTo(Errors.OPERATION_NOT_ATTEMPTED);
    cluster.beat(1);
    assertThat(cluster.setIsr("t", 1, 2)).isEqualTo(Errors.NONE);
  }

  @Test
  void other_configs_and_other_topics_do_not_matter() {
    cluster.beat(1);
    cluster.create("u", 1, 2);
    cluster.setConfig(ConfigResource.Type.TOPIC, "u", "min.insync.replicas", "1");
    cluster.setConfig(ConfigResource.Type.TOPIC, "t", "retention.ms", "1");

    assertThat(cluster.setIsr("t", 1, 2)).isEqualTo(Errors.NONE);
  }
}
