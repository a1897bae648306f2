package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.metadata.PartitionRegistration;
import org.junit.jupiter.api.Test;

class BrokerFencingTest {
  private final ControlledCluster cluster = ControlledCluster.of(3);

  private void answerProbes(BrokerProbe.Outcome outcome) {
    List<ControlledCluster.Probed> asked = List.copyOf(cluster.probes);
    cluster.probes.clear();
    asked.forEach(probed -> probed.whenDone().accept(outcome));
    cluster.data.runAll();
  }

  @Test
  void silence_for_a_session_fences_and_elects_another() {
    cluster.create("t", 1, 2, 3);

    cluster.pass(ControlledCluster.SESSION_MS - 600, 2, 3);
    assertThat(cluster.broker(1).fenced()).isFalse();
    cluster.pass(1_000, 2, 3);

    assertThat(cluster.broker(1).fenced()).isTrue();
    PartitionRegistration partition = cluster.partition("t");
    assertThat(partition.leader).isEqualTo(2);
    assertThat(partition.leaderEpoch).isEqualTo(1);
    assertThat(cluster.isr("t")).containsExactly(2, 3);
  }

  @Test
  void a_broker_that_thaws_is_not_unfenced_before_it_knows_what_was_taken_from_it() {
    cluster.create("t", 1, 2, 3);
    long known = cluster.lastOffset();
    cluster.pass(ControlledCluster.SESSION_MS + 500, 2, 3);

    assertThat(cluster.answered(cluster.heartbeat(1).setCurrentMetadataOffset(known)).isFenced())
        .isTrue();
    assertThat(cluster.beat(1).isFenced()).isFalse();
  }

  @Test
  void a_new_controller_does_not_unfence_it_earlier() {
    cluster.create("t", 1, 2, 3);
    long known = cluster.lastOffset();
    cluster.pass(ControlledCluster.SESSION_MS + 500, 2, 3);
    cluster.failOver();

    assertThat(cluster.answered(cluster.heartbeat(1).setCurrentMetadataOffset(known)).isFenced())
        .isTrue();
    assertThat(cluster.beat(1).isFenced()).isFalse();
  }

  @Test
  void heartbeats_keep_a_broker_unfenced() {
    cluster.pass(5 * ControlledCluster.SESSION_MS, 1, 2, 3);

    assertThat(cluster.broker(1).fenced()).isFalse();
  }

  /** KAFKA-13173. */
  @Test
  void brokers_that_fall_silent_together_are_fenced_one_after_the_other() {
    cluster.create("t", 1, 2, 3);
    cluster.create("u", 2, 1, 3);

    cluster.pass(ControlledCluster.SESSION_MS + 500, 3);

    assertThat(cluster.partition("t").leader).isEqualTo(3);
    assertThat(cluster.partition("u").leader).isEqualTo(3);
    assertThat(cluster.isr("t")).containsExactly(3);
    assertThat(cluster.partition("t").leaderEpoch).isEqualTo(1);
    assertThat(cluster.partition("t").partitionEpoch).isEqualTo(1);
  }

  /** KAFKA-13173: the second was elected by the fencing of the first. */
  @Test
  void a_broker_that_was_elected_by_the_same_decision_is_fenced_there_as_well() {
    cluster.create("t", 1, 2, 3);
    cluster.setIsr("t", 1);
    assertThat(cluster.elr("t")).containsExactly(2, 3);

    cluster.pass(ControlledCluster.SESSION_MS + 500, 3);

    assertThat(cluster.partition("t").leader).isEqualTo(3);
    assertThat(cluster.isr("t")).containsExactly(3);
    assertThat(cluster.elr("t")).containsExactly(1, 2);
  }

  @Test
  void a_broken_connection_alone_fences_nobody() {
    cluster.controller.onConnectionLost(1, cluster.epochs.get(1));
    answerProbes(BrokerProbe.Outcome.UNCLEAR);
    cluster.control.advance(1_000);

    assertThat(cluster.broker(1).fenced()).isFalse();
  }

  @Test
  void a_listener_that_refuses_twice_fences_at_once() {
    cluster.create("t", 1, 2, 3);

    cluster.controller.onConnectionLost(1, cluster.epochs.get(1));
    answerProbes(BrokerProbe.Outcome.REFUSED);
    assertThat(cluster.broker(1).fenced()).isFalse();
    cluster.control.advance(FencingProbes.PAUSE_MS);
    answerProbes(BrokerProbe.Outcome.REFUSED);

    assertThat(cluster.broker(1).fenced()).isTrue();
    assertThat(cluster.partition("t").leader).isEqualTo(2);
  }

  @Test
  void a_listener_that_refuses_once_and_then_does_not_proves_nothing() {
    cluster.controller.onConnectionLost(1, cluster.epochs.get(1));
    answerProbes(BrokerProbe.Outcome.REFUSED);
    cluster.control.advance(FencingProbes.PAUSE_MS);
    answerProbes(BrokerProbe.Outcome.UNCLEAR);

    assertThat(cluster.broker(1).fenced()).isFalse();
  }

  @Test
  void what_is_found_out_of_an_old_run_does_not_touch_the_new_one() {
    cluster.controller.onConnectionLost(1, cluster.epochs.get(1));
    answerProbes(BrokerProbe.Outcome.REFUSED);
    cluster.join(1);
    cluster.control.advance(FencingProbes.PAUSE_MS);
    answerProbes(BrokerProbe.Outcome.REFUSED);

    assertThat(cluster.broker(1).fenced()).isFalse();
  }

  @Test
  void a_lost_connection_of_an_old_run_asks_nobody() {
    cluster.controller.onConnectionLost(1, cluster.epochs.get(1) - 1);

    assertThat(cluster.probes).isEmpty();
  }

  @Test
  void where_a_refusal_proves_nothing_nobody_is_asked() {
    cluster.failOver(new BrokerControlSettings("", 1, false, false, 1_000));
    cluster.probes.clear();

    cluster.controller.onConnectionLost(1, cluster.epochs.get(1));

    assertThat(cluster.probes).isEmpty();
  }

  @Test
  void a_new_controller_asks_after_everyone_and_else_waits_a_whole_session() {
    cluster.create("t", 1, 2, 3);
    cluster.control.advance(ControlledCluster.SESSION_MS - 1_000);
    cluster.failOver();

    assertThat(cluster.probes)
        .extracting(ControlledCluster.Probed::brokerId)
        .containsExactly(1, 2, 3);
    cluster.probes.clear();
    cluster.pass(ControlledCluster.SESSION_MS - 1_000, 2, 3);
    assertThat(cluster.broker(1).fenced()).isFalse();
    cluster.pass(1_500, 2, 3);
    assertThat(cluster.broker(1).fenced()).isTrue();
    assertThat(cluster.partition("t").leader).isEqualTo(2);
  }

  @Test
  void a_heartbeat_that_waits_to_be_decided_counts_from_when_it_came() {
    cluster.pass(ControlledCluster.SESSION_MS - 500, 2, 3);
    cluster.log.hold();
    cluster.controller.unregisterBroker(3, new Answer<>());
    cluster.send(cluster.heartbeat(1));
    cluster.control.advance(1_000);
    while (cluster.log.heldCommits() > 0) {
      cluster.log.releaseOne();
    }
    cluster.data.runAll();

    assertThat(cluster.broker(1).fenced()).isFalse();
  }

  @Test
  void more_partitions_than_one_batch_holds_are_taken_from_a_dead_broker_in_several() {
    List<List<Integer>> half = java.util.Collections.nCopies(6_000, List.of(1, 2));
    cluster.create("t", half);
    cluster.create("u", half);

    cluster.pass(ControlledCluster.SESSION_MS + 500, 2, 3);

    assertThat(cluster.broker(1).fenced()).isTrue();
    assertThat(cluster.partition("t", 5_999).leader).isEqualTo(2);
    assertThat(cluster.partition("u", 5_999).leader).isEqualTo(2);
    assertThat(cluster.partition("u", 0).leader).isEqualTo(2);
    assertThat(cluster.log.batches)
        .allSatisfy(batch -> assertThat(batch.records().size()).isLessThanOrEqualTo(20_000));
  }
}
