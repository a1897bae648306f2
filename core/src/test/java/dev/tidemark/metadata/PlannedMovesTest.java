package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Never two serving leaders: whoever may still serve is waited for. */
class PlannedMovesTest {
  private static final byte PREFERRED = 0;
  private static final byte UNCLEAN = 1;

  private final ControlledCluster cluster = ControlledCluster.of(3);

  /** Broker 2 leads, broker 1 is preferred and in sync. */
  @BeforeEach
  void leadByAnother() {
    cluster.create("t", 1, 2, 3);
    cluster.join(1);
    assertThat(cluster.setIsr("t", 2, 3, 1)).isEqualTo(Errors.NONE);
    assertThat(cluster.partition("t").leader).isEqualTo(2);
  }

  private Answer<ElectLeadersResponseData> ask(byte type) {
    ElectLeadersRequestData request =
        new ElectLeadersRequestData().setElectionType(type).setTimeoutMs(20_000);
    request.topicPartitions().add(new TopicPartitions().setTopic("t").setPartitions(List.of(0)));
    Answer<ElectLeadersResponseData> answer = new Answer<>();
    cluster.controller.electLeaders(request, answer);
    cluster.data.runAll();
    return answer;
  }

  private static Errors error(Answer<ElectLeadersResponseData> answer) {
    return Errors.forCode(
        answer.get().replicaElectionResults().get(0).partitionResult().get(0).errorCode());
  }

  private static String why(Answer<ElectLeadersResponseData> answer) {
    return answer.get().replicaElectionResults().get(0).partitionResult().get(0).errorMessage();
  }

  private int leader() {
    return cluster.partition("t").leader;
  }

  @Test
  void a_partition_has_no_leader_until_the_old_one_has_acknowledged_that() {
    int epoch = cluster.partition("t").leaderEpoch;
    long before = cluster.lastOffset();

    Answer<ElectLeadersResponseData> answer = ask(PREFERRED);
    assertThat(answer.isThere()).isFalse();
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);

    cluster.answered(cluster.heartbeat(2).setCurrentMetadataOffset(before));
    cluster.beat(1);
    cluster.beat(3);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);

    cluster.beat(2);
    assertThat(leader()).isEqualTo(1);
    assertThat(cluster.partition("t").leaderEpoch).isEqualTo(epoch + 2);
    assertThat(error(answer)).isEqualTo(Errors.NONE);
  }

  @Test
  void an_old_leader_that_falls_silent_is_waited_for_until_its_lease_has_ended() {
    ask(PREFERRED);

    cluster.pass(ControlledCluster.SESSION_MS - 600, 1, 3);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.pass(1_000, 1, 3);

    assertThat(leader()).isEqualTo(1);
  }

  @Test
  void a_new_run_of_the_old_leader_proves_that_it_has_stopped() {
    ask(PREFERRED);

    cluster.register(cluster.registration(2)).get();

    assertThat(leader()).isEqualTo(1);
  }

  @Test
  void others_that_die_meanwhile_do_not_end_the_wait() {
    ask(PREFERRED);

    cluster.register(cluster.registration(1)).get();
    cluster.beat(1);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);

    cluster.beat(2);
    assertThat(leader()).isEqualTo(2);
  }

  @Test
  void not_even_an_unclean_election_ends_the_wait() {
    ask(PREFERRED);

    assertThat(ask(UNCLEAN).isThere()).isFalse();
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
  }

  private void preferredIsRefused(String why) {
    Answer<ElectLeadersResponseData> answer = ask(PREFERRED);
    assertThat(error(answer)).isEqualTo(Errors.PREFERRED_LEADER_NOT_AVAILABLE);
    assertThat(why(answer)).isEqualTo("t-0: " + why);
    assertThat(leader()).isEqualTo(2);
  }

  @Test
  void a_preferred_leader_that_is_not_in_sync_or_away_is_named_with_what_to_do() {
    assertThat(cluster.setIsr("t", 2, 3)).isEqualTo(Errors.NONE);
    preferredIsRefused(
        "broker 1, the preferred leader, is not in sync; in sync are [2, 3]. Elect again once it has caught up");

    Uuid folder = cluster.partition("t").directory(1);
    cluster.register(cluster.registration(1).setLogDirs(List.of(folder, new Uuid(1, 77)))).get();
    preferredIsRefused(
        "broker 1, the preferred leader, is away. Start it, or see its log if it runs, and elect again once it is in sync");

    cluster.beat(1);
    cluster.create("other", 1, 2);
    cluster.answered(cluster.heartbeat(1).setOfflineLogDirs(List.of(folder)));
    preferredIsRefused(
        "the data folder of the partition on broker 1, the preferred leader, is offline. Repair its disk, and elect again once it is in sync");

    cluster.answered(cluster.heartbeat(1).setWantShutDown(true));
    preferredIsRefused(
        "broker 1, the preferred leader, is about to stop. Elect again once it is back and in sync");
  }

  @Test
  void an_old_leader_that_lives_but_does_not_follow_the_metadata_loses_its_lease() {
    long before = cluster.lastOffset();
    ask(PREFERRED);

    for (long ms = 0; ms < 2 * ControlledCluster.SESSION_MS + 2_000; ms += 500) {
      cluster.pass(500, 1, 3);
      cluster.send(cluster.heartbeat(2).setCurrentMetadataOffset(before));
      if (ms < ControlledCluster.SESSION_MS - 1_000) {
        assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
      }
    }

    assertThat(leader()).isEqualTo(1);
  }

  @Test
  void a_new_controller_waits_for_the_old_leader_as_well() {
    ask(PREFERRED);
    cluster.failOver();

    cluster.send(cluster.heartbeat(2).setCurrentMetadataOffset(0));
    cluster.beat(1);
    cluster.beat(3);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);

    cluster.beat(2);
    assertThat(leader()).isEqualTo(1);
  }

  @Test
  void unregistering_a_living_leader_leaves_its_partitions_until_its_lease_has_ended() {
    Answer<Integer> answer = new Answer<>();
    cluster.controller.unregisterBroker(2, answer);
    cluster.data.runAll();

    assertThat(answer.get()).isEqualTo(2);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.pass(ControlledCluster.SESSION_MS - 600, 1, 3);
    assertThat(leader()).isEqualTo(ControlledCluster.NO_LEADER);
    cluster.pass(1_500, 1, 3);
    assertThat(leader()).isEqualTo(1);
  }

  @Test
  void a_preferred_replica_that_is_not_in_sync_does_not_lead() {
    cluster.setIsr("t", 2, 3);

    assertThat(error(ask(PREFERRED))).isEqualTo(Errors.PREFERRED_LEADER_NOT_AVAILABLE);
    assertThat(leader()).isEqualTo(2);
  }

  @Test
  void partitions_go_back_to_their_preferred_replicas_by_themselves() {
    cluster.pass(300_000, 1, 2, 3);
    cluster.pass(1_000, 1, 2, 3);

    assertThat(leader()).isEqualTo(1);
  }

  @Test
  void they_stay_where_they_are_if_the_operator_says_so() {
    cluster.failOver(new BrokerControlSettings("", 1, true, false, 300_000));
    cluster.pass(400_000, 1, 2, 3);

    assertThat(leader()).isEqualTo(2);
  }

  @Test
  void an_election_that_could_not_be_written_is_tried_again() {
    ask(PREFERRED);
    cluster.log.failNext();
    cluster.beat(2);
    cluster.pass(2_000, 1, 2, 3);

    assertThat(leader()).isEqualTo(1);
  }

  @Test
  void the_answer_comes_with_the_end_of_the_time_the_request_gives() {
    long before = cluster.lastOffset();
    ElectLeadersRequestData request =
        new ElectLeadersRequestData().setElectionType(PREFERRED).setTimeoutMs(1_000);
    request.topicPartitions().add(new TopicPartitions().setTopic("t").setPartitions(List.of(0)));
    Answer<ElectLeadersResponseData> answer = new Answer<>();
    cluster.controller.electLeaders(request, answer);

    cluster.send(cluster.heartbeat(2).setCurrentMetadataOffset(before));
    cluster.control.advance(1_000);

    assertThat(error(answer)).isEqualTo(Errors.REQUEST_TIMED_OUT);
  }

  @Test
  void the_answer_tells_when_another_node_decides() {
    Answer<ElectLeadersResponseData> answer = ask(PREFERRED);

    cluster.failOver();

    assertThat(error(answer)).isEqualTo(Errors.REQUEST_TIMED_OUT);
  }
}
