package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class DirectoryLoadsTest {
  private static final Uuid A = new Uuid(1, 1);
  private static final Uuid B = new Uuid(2, 2);

  private final DirectoryLoads loads = new DirectoryLoads();

  @Test
  void whatOneDecisionPlacesIsSpreadOverTheFolders() {
    loads.startDecision();
    assertThat(List.of(choose(), choose(), choose())).containsExactly(A, B, A);
  }

  @Test
  void whatWasPlannedAndNotCommittedIsForgottenByTheNextDecision() {
    loads.startDecision();
    assertThat(choose()).isEqualTo(A);
    loads.startDecision();
    assertThat(choose()).isEqualTo(A);
  }

  private Uuid choose() {
    return loads.choose(List.of(A, B));
  }
}
