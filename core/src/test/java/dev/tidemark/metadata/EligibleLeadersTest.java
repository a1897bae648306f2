package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.Replicas;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** KIP-966 with min.insync.replicas 2. */
class EligibleLeadersTest {
  private final ControlledCluster cluster = ControlledCluster.of(3);

  @BeforeEach
  void create() {
    cluster.create("t", 1, 2, 3);
  }

  private int leader() {
    return cluster.partition("t").leader;
  }

  private List<Integer> lastKnown() {
    return Replicas.toList(cluster.partition("t").lastKnownElr);
  }

  /** Stops a broker in order, in one step. */
  private void stop(int id) {
    cluster.register(cluster.registrationAfterCleanStop(id)).get();
  }

  private void stopUncleanly(int id) {
    cluster.register(cluster.registration(id)).get();
  }

  private Errors electUncleanly() {
    return error(askUncleanly());
  }

  private static Errors error(Answer<ElectLeadersResponseData> answer) {
    return Errors.forCode(result(answer).errorCode());
  }

  private static PartitionResult result(Answer<ElectLeadersResponseData> answer) {
    return answer.get().replicaElectionResults().get(0).partitionResult().get(0);
  }

  private Answer<ElectLeadersResponseData> askUncleanly() {
    ElectLeadersRequestData request =
        new ElectLeadersRequestData().setElectionType((byte) 1).setTimeoutMs(60_000);
    request.topicPartitions().add(new TopicPartitions().setTopic("t").setPartitions(List.of(0)));
    Answer<ElectLeadersResponseData> answer = new Answer<>();
    cluster.controller.electLeaders(request, answer);
    cluster.data.runAll();
    return answer;
  }

  @Test
  void who_leaves_a_large_isr_is_not_eligible() {
    stop(3);

    assertThat(cluster.isr("t")).containsExactly(1, 2);
    assertThat(cluster.elr("t")).isEmpty();
  }

  @Test
  void who_leaves_an_isr_that_falls_below_its_floor_stays_eligible() {
    stop(3);
    stop(2);

    assertThat(cluster.isr("t")).containsExactly(1);
    assertThat(cluster.elr("t")).containsExactly(2);
  }

  @Test
  void an_eligible_replica_leads_when_the_isr_is_gone() {
    stop(3);
    stop(2);
    stop(1);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    assertThat(cluster.isr("t")).isEmpty();
    assertThat(cluster.elr("t")).containsExactly(2, 1);

    cluster.beat(3);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.beat(2);

    assertThat(leader()).isEqualTo(2);
    assertThat(cluster.isr("t")).containsExactly(2);
    assertThat(cluster.elr("t")).containsExactly(1);
    assertThat(cluster.partition("t").leaderRecoveryState).isEqualTo(LeaderRecoveryState.RECOVERED);
  }

  @Test
  void nobody_is_eligible_any_more_once_the_isr_is_at_its_floor() {
    stop(3);
    stop(2);
    cluster.beat(3);
    cluster.setIsr("t", 1, 3);

    assertThat(cluster.elr("t")).isEmpty();
  }

  @Test
  void with_both_sets_empty_the_last_known_leader_is_waited_for_and_is_unclean() {
    stop(3);
    stop(2);
    stop(1);
    stopUncleanly(2);
    stopUncleanly(1);
    assertThat(cluster.isr("t")).isEmpty();
    assertThat(cluster.elr("t")).isEmpty();
    assertThat(lastKnown()).containsExactly(1);

    cluster.beat(2);
    cluster.beat(3);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.beat(1);

    assertThat(leader()).isEqualTo(1);
    assertThat(cluster.isr("t")).containsExactly(1);
    assertThat(lastKnown()).isEmpty();
    assertThat(cluster.partition("t").leaderRecoveryState)
        .isEqualTo(LeaderRecoveryState.RECOVERING);
  }

  @Test
  void a_leader_that_recovered_says_so_with_its_next_isr() {
    with_both_sets_empty_the_last_known_leader_is_waited_for_and_is_unclean();

    assertThat(cluster.setIsr("t", 1, 2)).isEqualTo(Errors.NONE);

    assertThat(cluster.partition("t").leaderRecoveryState).isEqualTo(LeaderRecoveryState.RECOVERED);
  }

  @Test
  void another_leads_only_where_the_topic_allows_it() {
    stop(3);
    stop(2);
    stop(1);
    cluster.beat(3);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);

    cluster.setConfig(ConfigResource.Type.TOPIC, "t", "unclean.leader.election.enable", "true");

    assertThat(leader()).isEqualTo(3);
    assertThat(cluster.isr("t")).containsExactly(3);
    assertThat(cluster.elr("t")).isEmpty();
    assertThat(cluster.partition("t").leaderRecoveryState)
        .isEqualTo(LeaderRecoveryState.RECOVERING);
  }

  @Test
  void another_leads_when_the_operator_says_so() {
    stop(3);
    stop(2);
    stop(1);
    Answer<ElectLeadersResponseData> refused = askUncleanly();
    assertThat(error(refused)).isEqualTo(Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE);
    assertThat(result(refused).errorMessage())
        .isEqualTo(
            "t-0: none of the brokers [1, 2, 3], which have its replicas, is there. Start one of them");
    cluster.beat(3);

    assertThat(electUncleanly()).isEqualTo(Errors.NONE);
    assertThat(leader()).isEqualTo(3);
    assertThat(electUncleanly()).isEqualTo(Errors.ELECTION_NOT_NEEDED);
  }

  /** A new controller does not know who led, so that it waits for the leases of all. */
  @Test
  void an_unclean_election_that_is_asked_for_too_early_is_held_until_no_old_leader_may_serve() {
    stop(3);
    stop(2);
    stop(1);
    cluster.failOver();
    cluster.beat(3);

    Answer<ElectLeadersResponseData> answer = askUncleanly();

    assertThat(answer.isThere()).isFalse();
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.pass(2 * ControlledCluster.SESSION_MS, 3);
    assertThat(leader()).isEqualTo(3);
    assertThat(cluster.partition("t").leaderRecoveryState)
        .isEqualTo(LeaderRecoveryState.RECOVERING);
    assertThat(error(answer)).isEqualTo(Errors.NONE);
  }

  @Test
  void an_unclean_election_that_is_asked_for_too_early_is_refused_where_nobody_could_lead() {
    stop(3);
    stop(2);
    stop(1);
    cluster.failOver();

    assertThat(electUncleanly()).isEqualTo(Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE);
    cluster.pass(2 * ControlledCluster.SESSION_MS, 3);

    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
  }

  @Test
  void a_lower_floor_takes_the_eligible_away_in_the_same_batch() {
    stop(3);
    stop(2);
    assertThat(cluster.elr("t")).containsExactly(2);

    cluster.setConfig(ConfigResource.Type.TOPIC, "t", "min.insync.replicas", "1");

    assertThat(cluster.elr("t")).isEmpty();
    assertThat(cluster.log.batches.get(cluster.log.batches.size() - 1).records()).hasSize(2);
  }

  @Test
  void a_lower_floor_of_the_cluster_does_so_where_no_topic_has_its_own() {
    cluster.create("own", 1, 2, 3);
    cluster.setConfig(ConfigResource.Type.TOPIC, "own", "min.insync.replicas", "2");
    stop(3);
    stop(2);

    cluster.setConfig(ConfigResource.Type.BROKER, "", "min.insync.replicas", "1");

    assertThat(cluster.elr("t")).isEmpty();
    assertThat(cluster.elr("own")).containsExactly(2);
  }

  @Test
  void a_higher_floor_keeps_those_that_are_eligible() {
    stop(3);
    stop(2);

    cluster.setConfig(ConfigResource.Type.TOPIC, "t", "min.insync.replicas", "3");

    assertThat(cluster.elr("t")).containsExactly(2);
  }

  @Test
  void values_per_broker_are_refused() {
    assertThat(cluster.setConfig(ConfigResource.Type.BROKER, "1", "min.insync.replicas", "1"))
        .isEqualTo(Errors.INVALID_CONFIG);
  }

  @Test
  void the_floor_is_no_higher_than_the_number_of_replicas() {
    cluster.create("one", 2);
    assertThat(cluster.elr("one")).isEmpty();

    stop(2);
    assertThat(cluster.elr("one")).containsExactly(2);
    cluster.beat(2);
    assertThat(cluster.partition("one").leader).isEqualTo(2);
    assertThat(cluster.elr("one")).isEmpty();
  }

  @Test
  void without_the_feature_the_last_in_sync_replica_stays_in_the_isr() {
    UpdateFeaturesRequestData request = new UpdateFeaturesRequestData();
    request
        .featureUpdates()
        .add(
            new FeatureUpdateKey()
                .setFeature("eligible.leader.replicas.version")
                .setMaxVersionLevel((short) 0)
                .setUpgradeType((byte) 2));
    Answer<UpdateFeaturesResponseData> answer = new Answer<>();
    cluster.controller.updateFeatures(request, (short) 2, answer);
    assertThat(answer.get().errorCode()).isZero();

    stop(3);
    stop(2);
    stop(1);
    assertThat(cluster.isr("t")).containsExactly(1);
    assertThat(cluster.elr("t")).isEmpty();
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.beat(2);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.beat(1);
    assertThat(leader()).isEqualTo(1);
  }
}
