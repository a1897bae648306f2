package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class BrokerHeartbeatTest {
  private final ControlledCluster cluster = new ControlledCluster();

  private static Errors error(BrokerHeartbeatResponseData answer) {
    return Errors.forCode(answer.errorCode());
  }

  @Test
  void a_broker_is_unfenced_once_it_has_applied_its_own_registration() {
    long epoch = cluster.register(cluster.registration(1)).get();

    BrokerHeartbeatResponseData early =
        cluster.answered(cluster.heartbeat(1).setCurrentMetadataOffset(epoch - 1));
    assertThat(early.isFenced()).isTrue();
    assertThat(early.isCaughtUp()).isFalse();

    BrokerHeartbeatResponseData caughtUp =
        cluster.answered(cluster.heartbeat(1).setCurrentMetadataOffset(epoch));
    assertThat(caughtUp.isFenced()).isFalse();
    assertThat(caughtUp.isCaughtUp()).isTrue();
    assertThat(cluster.broker(1).fenced()).isFalse();
  }

  @Test
  void a_broker_that_is_not_ready_stays_fenced() {
    cluster.register(cluster.registration(1)).get();

    assertThat(cluster.answered(cluster.heartbeat(1).setWantFence(true)).isFenced()).isTrue();
  }

  @Test
  void a_late_question_to_be_fenced_is_no_proof_that_the_broker_does_not_serve() {
    cluster.join(1);
    cluster.join(2);
    cluster.create("t", 1, 2);

    BrokerHeartbeatResponseData answer = cluster.answered(cluster.heartbeat(1).setWantFence(true));

    assertThat(answer.isFenced()).isTrue();
    assertThat(cluster.partition("t").leader).isEqualTo(-1);
    for (int i = 0; i < 9; i++) { // its lease ends
      cluster.control.advance(1_000);
      cluster.control.runAll();
      cluster.beat(2);
    }
    assertThat(cluster.partition("t").leader).isEqualTo(2);
  }

  @Test
  void an_old_run_and_an_unknown_broker_are_told_so() {
    cluster.join(1);
    BrokerHeartbeatRequestData old = cluster.heartbeat(1);
    cluster.join(1);

    assertThat(error(cluster.answered(old))).isEqualTo(Errors.STALE_BROKER_EPOCH);
    assertThat(error(cluster.beat(7))).isEqualTo(Errors.BROKER_ID_NOT_REGISTERED);
  }

  @Test
  void a_heartbeat_is_answered_after_a_record_that_was_appended_after_it_came() {
    cluster.join(1);
    cluster.log.hold();
    cluster.controller.unregisterBroker(1, new Answer<>()); // in flight when the heartbeat comes
    Answer<BrokerHeartbeatResponseData> answer = cluster.send(cluster.heartbeat(1));

    cluster.log.releaseOne();
    assertThat(answer.isThere()).isTrue(); // refused: that grants nothing
    assertThat(error(ControlledCluster.answer(answer))).isEqualTo(Errors.BROKER_ID_NOT_REGISTERED);
  }

  @Test
  void a_record_that_was_in_flight_before_does_not_serve_as_the_proof() {
    cluster.join(1);
    cluster.join(2);
    cluster.log.hold();
    cluster.controller.unregisterBroker(2, new Answer<>());
    Answer<BrokerHeartbeatResponseData> answer = cluster.send(cluster.heartbeat(1));

    cluster.log.releaseOne();
    assertThat(answer.isThere()).isFalse();
    cluster.control.advance(BrokerLifecycle.ACK_TICK_MS);
    assertThat(answer.isThere()).isFalse();
    cluster.log.releaseOne();
    assertThat(answer.get().isFenced()).isFalse();
  }

  @Test
  void one_record_serves_all_heartbeats_of_a_tick() {
    cluster.join(1);
    cluster.join(2);
    int batches = cluster.log.batches.size();

    Answer<BrokerHeartbeatResponseData> one = cluster.send(cluster.heartbeat(1));
    Answer<BrokerHeartbeatResponseData> two = cluster.send(cluster.heartbeat(2));
    cluster.control.advance(BrokerLifecycle.ACK_TICK_MS);

    assertThat(one.isThere()).isTrue();
    assertThat(two.isThere()).isTrue();
    assertThat(cluster.log.batches).hasSize(batches + 1);
  }

  /** One broker's heartbeat was answered an interval ago. */
  private void rest(int brokerId) {
    cluster.beat(brokerId);
    cluster.control.advance(2_000);
  }

  private boolean isAnsweredWithin(BrokerHeartbeatRequestData request, long ms) {
    Answer<BrokerHeartbeatResponseData> answer = cluster.send(request);
    cluster.control.advance(ms);
    return answer.isThere();
  }

  @Test
  void who_has_a_lease_for_long_waits_for_others_and_one_record_serves_all() {
    cluster.join(1);
    cluster.join(2);
    rest(1);
    rest(2);
    cluster.beat(1);
    cluster.beat(2);
    cluster.control.advance(2_000);
    int batches = cluster.log.batches.size();

    Answer<BrokerHeartbeatResponseData> one = cluster.send(cluster.heartbeat(1));
    cluster.control.advance(BrokerLifecycle.PATIENT_MS - 1);
    assertThat(one.isThere()).isFalse();
    Answer<BrokerHeartbeatResponseData> two = cluster.send(cluster.heartbeat(2));
    cluster.control.advance(1);

    assertThat(one.isThere()).isTrue();
    assertThat(two.isThere()).isTrue();
    assertThat(cluster.log.batches).hasSize(batches + 1);
  }

  @Test
  void the_patient_go_with_whoever_is_not() {
    cluster.join(1);
    cluster.join(2);
    rest(1);
    Answer<BrokerHeartbeatResponseData> patient = cluster.send(cluster.heartbeat(1));
    cluster.beat(2);
    Answer<BrokerHeartbeatResponseData> hasty = cluster.send(cluster.heartbeat(2));
    cluster.control.advance(BrokerLifecycle.ACK_TICK_MS);

    assertThat(hasty.isThere()).isTrue();
    assertThat(patient.isThere()).isTrue();
  }

  @Test
  void the_first_heartbeat_under_a_new_controller_does_not_wait_for_others() {
    cluster.join(1);
    rest(1);
    cluster.failOver();

    assertThat(isAnsweredWithin(cluster.heartbeat(1), BrokerLifecycle.ACK_TICK_MS)).isTrue();
  }

  @Test
  void who_may_have_lost_its_lease_does_not_wait_for_others() {
    cluster.join(1);
    rest(1);
    cluster.control.advance(3_000); // half its lease is over
    assertThat(isAnsweredWithin(cluster.heartbeat(1), BrokerLifecycle.ACK_TICK_MS)).isTrue();

    rest(1);
    cluster.controller.onConnectionLost(1, cluster.epochs.get(1));
    assertThat(isAnsweredWithin(cluster.heartbeat(1), BrokerLifecycle.ACK_TICK_MS)).isTrue();

    cluster.beat(1);
    cluster.control.advance(500); // it beats at once after it has lost the controller
    assertThat(isAnsweredWithin(cluster.heartbeat(1), BrokerLifecycle.ACK_TICK_MS)).isTrue();
  }

  @Test
  void who_stops_or_is_fenced_or_is_behind_does_not_wait_for_others() {
    cluster.join(1);
    cluster.join(2);
    cluster.create("t", 1, 2);
    rest(1);
    long behind = cluster.lastOffset() - 1;
    assertThat(
            isAnsweredWithin(
                cluster.heartbeat(1).setCurrentMetadataOffset(behind), BrokerLifecycle.ACK_TICK_MS))
        .isTrue();

    rest(1);
    cluster.send(cluster.heartbeat(1).setWantShutDown(true)); // begins to stop, by its own record
    cluster.control.advance(2_000);
    assertThat(
            isAnsweredWithin(
                cluster.heartbeat(1).setWantShutDown(true).setCurrentMetadataOffset(behind),
                BrokerLifecycle.ACK_TICK_MS))
        .isTrue();

    rest(2);
    cluster.answered(cluster.heartbeat(2).setWantFence(true));
    cluster.control.advance(2_000);
    assertThat(
            isAnsweredWithin(cluster.heartbeat(2).setWantFence(true), BrokerLifecycle.ACK_TICK_MS))
        .isTrue();
  }

  @Test
  void a_controller_that_cannot_append_grants_nothing() {
    cluster.join(1);
    Answer<BrokerHeartbeatResponseData> answer = cluster.send(cluster.heartbeat(1));
    cluster.log.failNext();
    cluster.control.advance(BrokerLifecycle.ACK_TICK_MS);
    assertThat(answer.isThere()).isFalse();

    cluster.control.advance(BrokerLifecycle.ACK_TICK_MS);
    assertThat(answer.get().isFenced()).isFalse();
  }

  @Test
  void an_answer_says_what_became_true_while_it_waited() {
    cluster.join(1);
    BrokerRegistrationRequestData next = cluster.registration(1);
    Answer<BrokerHeartbeatResponseData> answer = cluster.send(cluster.heartbeat(1));

    cluster.register(next).get();
    cluster.control.advance(BrokerLifecycle.ACK_TICK_MS);

    assertThat(error(ControlledCluster.answer(answer))).isEqualTo(Errors.STALE_BROKER_EPOCH);
  }

  @Test
  void nothing_is_written_while_there_is_no_heartbeat() {
    cluster.join(1);
    cluster.answered(cluster.heartbeat(1).setWantFence(true));
    int batches = cluster.log.batches.size();

    cluster.control.advance(1_000_000);

    assertThat(cluster.log.batches).hasSize(batches);
  }

  @Test
  void replicas_in_a_failed_folder_are_in_sync_no_more() {
    Uuid second = new Uuid(44, 44);
    BrokerRegistrationRequestData request = cluster.registration(1);
    request.setLogDirs(List.of(ControlledCluster.folder(1), second));
    cluster.register(request).get();
    cluster.beat(1);
    cluster.join(2);
    cluster.create("t", List.of(List.of(1, 2), List.of(1, 2)));
    int inSecond = cluster.partition("t", 0).directory(1).equals(second) ? 0 : 1;

    cluster.answered(cluster.heartbeat(1).setOfflineLogDirs(List.of(second)));

    assertThat(cluster.broker(1).directories()).containsExactly(ControlledCluster.folder(1));
    assertThat(cluster.partition("t", inSecond).leader).isEqualTo(2);
    assertThat(cluster.partition("t", 1 - inSecond).leader).isEqualTo(1);
  }

  @Test
  void a_broker_without_any_folder_left_is_fenced_and_stays_so() {
    cluster.join(1);
    BrokerHeartbeatRequestData request =
        cluster.heartbeat(1).setOfflineLogDirs(List.of(ControlledCluster.folder(1)));

    assertThat(cluster.answered(request).isFenced()).isTrue();
    assertThat(
            cluster
                .answered(request.duplicate().setCurrentMetadataOffset(cluster.lastOffset()))
                .isFenced())
        .isTrue();
  }
}
