package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.fault.FaultKind;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Runs of {@link Simulation}: for other seeds {@code -Dtidemark.sim.seed=N}. */
class SimulationTest {
  private static final long SEED = Long.getLong("tidemark.sim.seed", 1);
  private static final int RUNS = Integer.getInteger("tidemark.sim.runs", 10);
  private static final int SECONDS = 60;
  private static final Simulation.Plan ALL_FAULTS =
      new Simulation.Plan(3, SECONDS, EnumSet.allOf(FaultKind.class));

  @Test
  void whatWasPromisedHoldsUnderAllFaults() {
    Map<FaultKind, Integer> faults = new TreeMap<>();
    for (int i = 0; i < RUNS; i++) {
      Simulation.Outcome outcome = new Simulation(SEED + i, ALL_FAULTS, null).run();
      assertThat(outcome.violations()).as("seed %d", outcome.seed()).isEmpty();
      assertThat(outcome.acknowledged()).as("seed %d", outcome.seed()).isPositive();
      outcome.faults().forEach((kind, count) -> faults.merge(kind, count, Integer::sum));
    }
    System.out.println("simulations from seed " + SEED + ": " + RUNS + ", faults " + faults);
  }

  @Test
  void aSeedIsOneRunInEveryProcess() throws Exception {
    long hash = hashOf(SEED);
    assertThat(OtherProcess.lastLineOf(SimulationTest.class, String.valueOf(SEED)))
        .isEqualTo(String.valueOf(hash));
    assertThat(hashOf(SEED + 1)).isNotEqualTo(hash);
  }

  private static long hashOf(long seed) {
    Simulation.Plan plan = new Simulation.Plan(3, 10, EnumSet.allOf(FaultKind.class));
    return new Simulation(seed, plan, null).run().hash();
  }

  /** Prints the hash of the run of a seed. */
  public static void main(String[] args) {
    System.out.println(hashOf(Long.parseLong(args[0])));
  }
}
