package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeaderChoiceTest {
  private static final List<Integer> REPLICAS = List.of(3, 1, 2);

  private static LeaderChoice choose(
      List<Integer> isr,
      List<Integer> elr,
      List<Integer> lastKnown,
      boolean any,
      Integer... alive) {
    return LeaderChoice.of(REPLICAS, isr, elr, lastKnown, any, Set.of(alive)::contains);
  }

  @Test
  void the_first_replica_that_is_in_sync_leads() {
    assertThat(choose(List.of(1, 2), List.of(), List.of(), true, 1, 2, 3))
        .isEqualTo(new LeaderChoice(1, false));
  }

  @Test
  void then_the_first_that_is_eligible() {
    assertThat(choose(List.of(1), List.of(2), List.of(3), true, 2, 3))
        .isEqualTo(new LeaderChoice(2, false));
  }

  @Test
  void the_last_known_leader_counts_only_when_nobody_is_in_sync_or_eligible() {
    assertThat(choose(List.of(), List.of(), List.of(2), false, 2, 3))
        .isEqualTo(new LeaderChoice(2, true));
    assertThat(choose(List.of(), List.of(1), List.of(2), false, 2, 3))
        .isEqualTo(LeaderChoice.NOBODY);
    assertThat(choose(List.of(1), List.of(), List.of(2), false, 2, 3))
        .isEqualTo(LeaderChoice.NOBODY);
  }

  @Test
  void any_other_leads_only_where_that_is_allowed() {
    assertThat(choose(List.of(1), List.of(), List.of(), false, 2, 3))
        .isEqualTo(LeaderChoice.NOBODY);
    assertThat(choose(List.of(1), List.of(), List.of(), true, 2, 3))
        .isEqualTo(new LeaderChoice(3, true));
  }

  @Test
  void who_is_no_replica_any_more_does_not_lead() {
    assertThat(choose(List.of(), List.of(), List.of(9), false, 9)).isEqualTo(LeaderChoice.NOBODY);
  }
}
