package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.junit.jupiter.api.Test;

class ControlledShutdownTest {
  private final ControlledCluster cluster = ControlledCluster.of(3);

  private BrokerHeartbeatResponseData wantShutDown(int id) {
    return cluster.answered(cluster.heartbeat(id).setWantShutDown(true));
  }

  @Test
  void leaderships_move_before_the_broker_may_stop() {
    cluster.create("t", 1, 2, 3);

    BrokerHeartbeatResponseData first = wantShutDown(1);
    assertThat(first.shouldShutDown()).isFalse();
    assertThat(cluster.broker(1).inControlledShutdown()).isTrue();
    assertThat(cluster.partition("t").leader).isEqualTo(ControlledCluster.NO_LEADER);
    assertThat(cluster.isr("t")).containsExactly(2, 3);

    assertThat(wantShutDown(1).shouldShutDown()).isFalse(); // acknowledges; another is elected
    assertThat(cluster.partition("t").leader).isEqualTo(2);

    cluster.beat(2);
    assertThat(wantShutDown(1).shouldShutDown()).isFalse(); // broker 3 does not know it yet
    cluster.beat(3);
    BrokerHeartbeatResponseData last = wantShutDown(1);
    assertThat(last.shouldShutDown()).isTrue();
    assertThat(last.isFenced()).isTrue();
  }

  @Test
  void a_stopping_broker_is_elected_nowhere() {
    cluster.create("t", 1);

    wantShutDown(1);
    wantShutDown(1);

    assertThat(cluster.partition("t").leader).isEqualTo(ControlledCluster.NO_LEADER);
    assertThat(cluster.elr("t")).containsExactly(1);
    cluster.register(cluster.registrationAfterCleanStop(1)).get();
    cluster.beat(1);
    assertThat(cluster.partition("t").leader).isEqualTo(1);
    assertThat(cluster.isr("t")).containsExactly(1);
  }

  @Test
  void a_broker_that_leads_nothing_stops_after_the_others_know_that_it_left_the_isrs() {
    cluster.create("t", 1, 2, 3);

    wantShutDown(2);

    assertThat(cluster.isr("t")).containsExactly(1, 3);
    cluster.beat(1);
    cluster.beat(3);
    wantShutDown(2);
    cluster.beat(1);
    cluster.beat(3);
    assertThat(wantShutDown(2).shouldShutDown()).isTrue();
  }

  @Test
  void a_fenced_broker_may_stop_at_once() {
    cluster.register(cluster.registrationAfterCleanStop(1)).get();

    assertThat(wantShutDown(1).shouldShutDown()).isTrue();
  }
}
