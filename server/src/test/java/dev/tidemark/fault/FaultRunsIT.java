package dev.tidemark.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Runs of {@link FaultRun}: three of 30 s in the build, twenty of 60 s in the nightly profile. For
 * another seed: {@code -Dtidemark.faults.seed=N}.
 */
class FaultRunsIT {
  private static final int RUNS = Integer.getInteger("tidemark.faults.runs", 3);
  private static final int SECONDS = Integer.getInteger("tidemark.faults.seconds", 30);
  private static final long SEED = Long.getLong("tidemark.faults.seed", 1);
  private static final int LONG_RUNS = 20;
  private static final int AT_LEAST = 5;

  @Test
  void nothingAcknowledgedIsLostAndNothingSeenChanges() throws Exception {
    Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    for (int i = 0; i < RUNS; i++) {
      FaultRun run = new FaultRun(SEED + i);
      run.run(SECONDS);
      System.out.println(run);
      run.faults().forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
    }
    if (RUNS >= LONG_RUNS) {
      for (Fault fault : Fault.values()) {
        assertThat(faults.getOrDefault(fault, 0)).as("%s", fault).isGreaterThanOrEqualTo(AT_LEAST);
      }
    }
  }
}
