package dev.tidemark.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
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
    Map<String, Integer> kinds = new TreeMap<>();
    for (int i = 0; i < RUNS; i++) {
      FaultRun run = new FaultRun(SEED + i);
      run.run(SECONDS);
      System.out.println(run);
      run.kinds().forEach((kind, count) -> kinds.merge(kind, count, Integer::sum));
    }
    System.out.println("in all " + RUNS + " runs: " + kinds);
    if (RUNS >= LONG_RUNS) {
      for (String kind : Injection.kinds(FaultRun.WITH_CUTS)) {
        assertThat(kinds.getOrDefault(kind, 0)).as("%s", kind).isGreaterThanOrEqualTo(AT_LEAST);
      }
    }
  }
}
