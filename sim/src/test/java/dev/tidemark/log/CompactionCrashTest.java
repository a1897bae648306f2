package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class CompactionCrashTest {
  private static final int STEPS = 70;
  private static final long ROUNDS = Long.getLong("tidemark.rounds", 1);

  @Test
  void manyLivesOfACompactedLogAgreeWithAllThatWasAppended() throws Exception {
    for (long seed = 0; seed < 300 * ROUNDS; seed++) {
      try {
        new CompactionLife(seed, new VirtualDisk(seed)).run(300);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  void manyLivesAgreeWhereFewKeysFitAndRestartsForgetWhatWasCompacted() throws Exception {
    for (long seed = 10_000; seed < 10_000 + 400 * ROUNDS; seed++) {
      try {
        new CompactionLife(seed, new VirtualDisk(seed), true).run(300);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /** Tombstones that two passes had not read, and that the second one removed before the values. */
  @Test
  void aLifeInWhichTombstonesWentBeforeTheirValuesAgrees() throws Exception {
    new CompactionLife(992, new VirtualDisk(992)).run(300);
  }

  /** A restart had forgotten how far the log was compacted, and told a place within a batch. */
  @Test
  void aDirtySectionThatBeginsWithinABatchHasRoomForWhatFollowsOnly() throws Exception {
    new CompactionLife(14_388, new VirtualDisk(14_388), true).run(300);
  }

  /** The index of aborted transactions had not got its name yet, and was thrown away. */
  @Test
  void abortedTransactionsStayHiddenAfterAnInterruptedReplacement() throws Exception {
    assertThat(crashAt(235, 128, true)).isEqualTo(1);
  }

  @Test
  void afterPowerLossAtAnyChangeACompactedLogSaysTheSame() throws Exception {
    int crashes = 0;
    for (long seed = 0; seed < 12 * ROUNDS; seed++) {
      VirtualDisk calm = new VirtualDisk(seed);
      new CompactionLife(seed, calm).run(STEPS);
      long changes = calm.faults().changes();
      for (long change = 0; change < changes; change++) {
        crashes += crashAt(seed, change, false);
        crashes += crashAt(seed, change, true);
      }
    }
    assertThat(crashes).isGreaterThan(1000);
  }

  private static int crashAt(long seed, long change, boolean fails) throws Exception {
    VirtualDisk disk = new VirtualDisk(seed);
    CompactionLife life = new CompactionLife(seed, disk);
    if (fails) {
      disk.faults().failAt(change);
    } else {
      disk.faults().powerOffAt(change);
    }
    try {
      life.run(STEPS);
      return 0;
    } catch (PowerWentOff e) {
      disk.powerLoss(seed * 1_000_003 + change);
    } catch (IOException | RefusedAppend e) {
      disk.faults().failAt(-1);
      disk.processKill();
    }
    try {
      life.recoverAndCheck();
    } catch (Exception | AssertionError e) {
      throw new AssertionError(
          "seed %d, %s at change %d".formatted(seed, fails ? "failure" : "power off", change), e);
    }
    return 1;
  }
}
