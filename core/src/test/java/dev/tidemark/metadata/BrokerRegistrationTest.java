package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.metadata.Replicas;
import org.junit.jupiter.api.Test;

class BrokerRegistrationTest {
  private final ControlledCluster cluster = new ControlledCluster();

  private void assertRefused(BrokerRegistrationRequestData request, Errors error) {
    Answer<Long> answer = cluster.register(request);
    assertThat(Errors.forException(answer.failure)).isEqualTo(error);
  }

  @Test
  void a_new_broker_is_fenced_and_its_epoch_is_the_offset_of_its_registration() {
    long offset = cluster.log.state().logEndOffset();

    long epoch = cluster.register(cluster.registration(1)).get();

    assertThat(epoch).isEqualTo(offset);
    assertThat(cluster.broker(1).fenced()).isTrue();
    assertThat(cluster.broker(1).epoch()).isEqualTo(offset);
  }

  @Test
  void a_broker_of_another_cluster_is_refused() {
    assertRefused(cluster.registration(1).setClusterId("another"), Errors.INCONSISTENT_CLUSTER_ID);
  }

  @Test
  void a_registration_that_was_asked_for_twice_is_answered_twice_with_one_epoch() {
    BrokerRegistrationRequestData request = cluster.registration(1);
    long first = cluster.register(request).get();
    int batches = cluster.log.batches.size();

    assertThat(cluster.register(request).get()).isEqualTo(first);
    assertThat(cluster.log.batches).hasSize(batches);
  }

  @Test
  void asking_twice_takes_no_lease_from_a_broker_that_serves() {
    BrokerRegistrationRequestData request = cluster.registration(1);
    cluster.register(request).get();
    cluster.beat(1);

    cluster.register(request).get();
    cluster.pass(ControlledCluster.SESSION_MS - 1_000);

    assertThat(cluster.broker(1).fenced()).isFalse();
  }

  @Test
  void a_living_broker_keeps_its_id_against_one_with_other_folders() {
    cluster.join(1);

    assertRefused(
        cluster.registration(1).setLogDirs(List.of(new Uuid(5, 5))),
        Errors.DUPLICATE_BROKER_REGISTRATION);
  }

  @Test
  void a_new_run_on_the_same_folder_proves_the_old_one_dead() {
    cluster.join(1);
    long first = cluster.broker(1).epoch();

    long second = cluster.register(cluster.registration(1)).get();

    assertThat(second).isGreaterThan(first);
    assertThat(cluster.broker(1).fenced()).isTrue();
  }

  @Test
  void other_folders_are_taken_when_the_broker_was_silent_for_a_session() {
    cluster.join(1);
    cluster.pass(ControlledCluster.SESSION_MS);

    assertThat(cluster.register(cluster.registration(1).setLogDirs(List.of(new Uuid(5, 5)))).get())
        .isPositive();
  }

  @Test
  void folders_are_checked() {
    cluster.join(2);
    assertRefused(cluster.registration(1).setLogDirs(List.of()), Errors.INVALID_REGISTRATION);
    assertRefused(
        cluster.registration(1).setLogDirs(List.of(Uuid.ZERO_UUID)), Errors.INVALID_REGISTRATION);
    Uuid one = new Uuid(5, 5);
    assertRefused(
        cluster.registration(1).setLogDirs(List.of(one, one)), Errors.INVALID_REGISTRATION);
    assertRefused(
        cluster.registration(1).setLogDirs(List.of(one, ControlledCluster.folder(2))),
        Errors.INVALID_REGISTRATION);
  }

  @Test
  void listeners_are_checked() {
    BrokerRegistrationRequestData none = cluster.registration(1);
    none.listeners().clear();
    assertRefused(none, Errors.INVALID_REGISTRATION);

    BrokerRegistrationRequestData port = cluster.registration(1);
    listener(port).setPort(0);
    assertRefused(port, Errors.INVALID_REGISTRATION);

    BrokerRegistrationRequestData protocol = cluster.registration(1);
    listener(protocol).setSecurityProtocol((short) 77);
    assertRefused(protocol, Errors.INVALID_REGISTRATION);
  }

  private static BrokerRegistrationRequestData.Listener listener(
      BrokerRegistrationRequestData request) {
    return Objects.requireNonNull(request.listeners().find("PLAINTEXT"));
  }

  @Test
  void a_broker_must_support_what_the_cluster_has_made_final() {
    BrokerRegistrationRequestData old = cluster.registration(1);
    Objects.requireNonNull(old.features().find("metadata.version"))
        .setMaxSupportedVersion((short) 7);
    assertRefused(old, Errors.UNSUPPORTED_VERSION);

    BrokerRegistrationRequestData kafkas = cluster.registration(1);
    kafkas
        .features()
        .remove(Objects.requireNonNull(kafkas.features().find(MetadataBootstrap.TIDEMARK_FEATURE)));
    assertRefused(kafkas, Errors.UNSUPPORTED_VERSION);
  }

  @Test
  void a_broker_without_an_incarnation_is_refused() {
    assertRefused(
        cluster.registration(1).setIncarnationId(Uuid.ZERO_UUID), Errors.INVALID_REGISTRATION);
  }

  @Test
  void after_a_clean_stop_a_broker_stays_eligible_to_lead() {
    cluster.join(1);
    cluster.join(2);
    cluster.create("t", 1, 2);

    cluster.register(cluster.registrationAfterCleanStop(1)).get();

    assertThat(cluster.partition("t").leader).isEqualTo(2);
    assertThat(cluster.isr("t")).containsExactly(2);
    assertThat(cluster.elr("t")).containsExactly(1);
  }

  @Test
  void after_an_unclean_stop_a_broker_is_in_no_isr_and_not_eligible() {
    cluster.join(1);
    cluster.join(2);
    cluster.create("t", 1, 2);
    cluster.register(cluster.registrationAfterCleanStop(1)).get();
    assertThat(cluster.elr("t")).containsExactly(1);

    cluster.register(cluster.registration(1)).get();

    assertThat(cluster.elr("t")).isEmpty();
    assertThat(cluster.isr("t")).containsExactly(2);
  }

  @Test
  void a_new_run_moves_leaderships_at_once_because_the_old_one_is_dead() {
    cluster.join(1);
    cluster.join(2);
    cluster.create("t", 1, 2);
    int epoch = cluster.partition("t").leaderEpoch;

    cluster.register(cluster.registration(1)).get();

    assertThat(cluster.partition("t").leader).isEqualTo(2);
    assertThat(cluster.partition("t").leaderEpoch).isEqualTo(epoch + 1);
  }

  @Test
  void a_broker_whose_disks_are_new_is_not_taken_for_what_it_was_after_it_was_unregistered() {
    cluster.join(1);
    cluster.join(2);
    cluster.create("t", 1, 2);
    cluster.pass(ControlledCluster.SESSION_MS, 1);
    assertThat(cluster.elr("t")).containsExactly(2);
    Answer<Integer> gone = new Answer<>();
    cluster.controller.unregisterBroker(2, gone);
    cluster.data.runAll();

    cluster.join(2);

    assertThat(gone.get()).isEqualTo(2);
    assertThat(cluster.elr("t")).isEmpty();
    assertThat(Replicas.toList(cluster.partition("t").isr)).containsExactly(1);
  }

  /** It sends no heartbeats, so that it would not come back before its next start. */
  @Test
  void the_broker_of_a_lone_node_is_not_forgotten() {
    BrokerIncarnation lone =
        new BrokerIncarnation(
            9,
            new Uuid(9, 1),
            List.of(new BrokerIncarnation.Listener("PLAINTEXT", "host9", 9092, (short) 0)),
            Optional.empty(),
            List.of(new Uuid(9, 2)),
            true);
    Answer<Long> epoch = new Answer<>();
    cluster.controller.registerBroker(lone, epoch);
    cluster.data.runAll();
    assertThat(epoch.get()).isNotNegative();
    Answer<Integer> gone = new Answer<>();

    cluster.controller.unregisterBroker(9, gone);
    cluster.data.runAll();

    assertThat(Errors.forException(gone.failure)).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(cluster.broker(9).fenced()).isFalse();
  }
}
