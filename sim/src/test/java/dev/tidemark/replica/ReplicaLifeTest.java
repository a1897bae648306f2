package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplicaLifeTest {
  private static final long ROUNDS = Long.getLong("tidemark.rounds", 1);
  private static final long SEEDS = 100;
  private static final int STEPS = 600;

  @Test
  void whateverHappensNothingAcknowledgedIsLostAndReplicasAgreeBelowTheHighWatermark() {
    long acknowledged = 0;
    long elections = 0;
    long powerLosses = 0;
    long first = Long.getLong("tidemark.seed", 0);
    for (long seed = first; seed < first + SEEDS * ROUNDS; seed++) {
      try {
        ReplicaLife life = new ReplicaLife(seed);
        life.run(STEPS);
        acknowledged += life.acknowledged();
        elections += life.elections;
        powerLosses += life.powerLosses;
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed + " (-Dtidemark.seed=" + seed + ")", e);
      }
    }
    System.out.printf(
        "%d acknowledged, %d elections, %d losses of power%n",
        acknowledged, elections, powerLosses);
    assertThat(acknowledged).isGreaterThan(3 * SEEDS * ROUNDS);
    assertThat(elections).isGreaterThan(SEEDS * ROUNDS);
    assertThat(powerLosses).isGreaterThan(SEEDS * ROUNDS / 2);
  }
}
