package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Repeat a life with {@code -Dsurefire.extra=-Dtidemark.seed=N}. */
class ReplicaLifeTest {
  private static final long ROUNDS = Long.getLong("tidemark.rounds", 1);
  private static final long FIRST_SEED = Long.getLong("tidemark.seed", 0);
  private static final int STEPS = 600;

  /** What was reached in all lives of a test. */
  private static final class Reached {
    private long acknowledged;
    private long elections;
    private long powerLosses;
    private long lostRecords;

    void live(long lives, boolean clean) {
      for (long seed = FIRST_SEED; seed < FIRST_SEED + lives; seed++) {
        try {
          ReplicaLife life = new ReplicaLife(seed, clean);
          life.run(STEPS);
          acknowledged += life.acknowledged();
          elections += life.elections;
          powerLosses += life.powerLosses;
          lostRecords += life.lostRecords;
        } catch (Exception | AssertionError e) {
          throw new AssertionError("seed " + seed, e);
        }
      }
    }
  }

  @Test
  void nothingAcknowledgedIsLostAndReplicasAgreeBelowTheHighWatermark() {
    long lives = 100 * ROUNDS;
    Reached reached = new Reached();
    reached.live(lives, true);
    assertThat(reached.acknowledged).isGreaterThan(3 * lives);
    assertThat(reached.elections).isGreaterThan(lives);
    assertThat(reached.powerLosses).isGreaterThan(lives / 2);
  }

  /**
   * The log start of a new leader hid where a follower had parted from it, and that follower's own
   * log start was lost with the power.
   */
  @Test
  void whatALeadersLogStartHidesDoesNotComeBack() throws Exception {
    new ReplicaLife(878, true).run(STEPS);
  }

  @Test
  void afterUncleanElectionsAllThatIsLostIsInALostTail() {
    long lives = 40 * ROUNDS;
    Reached reached = new Reached();
    reached.live(lives, false);
    assertThat(reached.lostRecords).isGreaterThan(5 * lives);
  }
}
