package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.protocol.RenewedLeadership;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.junit.jupiter.api.Test;

class RenewedLeadershipTest {
  private final ControlledCluster cluster = ControlledCluster.of(3);

  private AlterPartitionResponseData.PartitionData renew(String topic) {
    return cluster.propose(1, topic, RenewedLeadership.ask(cluster.proposal(topic, 1)));
  }

  @Test
  void a_leader_without_others_leads_on_in_a_new_epoch() {
    cluster.create("t", 1);
    int before = cluster.partition("t").leaderEpoch;

    AlterPartitionResponseData.PartitionData renewed = renew("t");

    assertThat(renewed.errorCode()).isZero();
    assertThat(renewed.leaderEpoch()).isEqualTo(before + 1);
    assertThat(cluster.partition("t").leaderEpoch).isEqualTo(before + 1);
    assertThat(cluster.partition("t").leader).isEqualTo(1);
    assertThat(cluster.isr("t")).containsExactly(1);
  }

  @Test
  void where_others_have_all_of_the_log_one_of_them_leads_next() {
    cluster.create("t", 1, 2, 3);

    assertThat(renew("t").errorCode()).isZero();
    assertThat(cluster.isr("t")).containsExactly(2, 3);
    cluster.beat(1);
    assertThat(cluster.partition("t").leader).isEqualTo(2);
  }
}
