package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrottledReplicasTest {
  @Test
  void a_star_stands_for_all_partitions() {
    ThrottledReplicas all = ThrottledReplicas.parse("*", 1);
    assertThat(all.isEmpty()).isFalse();
    assertThat(all.contains(0)).isTrue();
    assertThat(all.contains(9_999)).isTrue();
  }

  @Test
  void a_list_names_the_partitions_of_each_broker() {
    String list = "0:1, 1:2,7:1";
    ThrottledReplicas one = ThrottledReplicas.parse(list, 1);
    assertThat(one.contains(0)).isTrue();
    assertThat(one.contains(1)).isFalse();
    assertThat(one.contains(7)).isTrue();
    assertThat(ThrottledReplicas.parse(list, 2).contains(1)).isTrue();
    assertThat(ThrottledReplicas.parse(list, 3).isEmpty()).isTrue();
  }

  @Test
  void what_is_no_list_stands_for_no_partition() {
    assertThat(ThrottledReplicas.parse("", 1).isEmpty()).isTrue();
    assertThat(ThrottledReplicas.parse("0,:,x:1,99999999999:1,2000000000:1", 1).isEmpty()).isTrue();
  }
}
