package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.sim.DiskFaults.PowerWentOff;
import dev.tidemark.sim.VirtualDisk;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class LogCrashTest {
  private static final int STEPS = 60;
  private static final long ROUNDS = Long.getLong("tidemark.rounds", 1);

  @Test
  void manyLivesOfALogAgreeWithTheModel() throws Exception {
    int resumptions = 0;
    for (long seed = 0; seed < 300 * ROUNDS; seed++) {
      try {
        LogScenario scenario = new LogScenario(seed, new VirtualDisk(seed));
        scenario.run(200);
        resumptions += scenario.resumptions;
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(resumptions).isGreaterThan(300);
  }

  @Test
  void afterPowerLossAtAnyChangeTheSyncedIsThereAndAllIsAWholePrefix() throws Exception {
    int crashes = 0;
    for (long seed = 0; seed < 12 * ROUNDS; seed++) {
      VirtualDisk calm = new VirtualDisk(seed);
      new LogScenario(seed, calm).run(STEPS);
      long changes = calm.faults().changes();
      for (long change = 0; change < changes; change++) {
        crashes += crashAt(seed, change);
      }
    }
    assertThat(crashes).isGreaterThan(1000);
  }

  private static int crashAt(long seed, long change) throws Exception {
    VirtualDisk disk = new VirtualDisk(seed);
    LogScenario scenario = null;
    try {
      disk.faults().powerOffAt(-1);
      scenario = new LogScenario(seed, disk);
      disk.faults().powerOffAt(change);
      scenario.run(STEPS);
      return 0;
    } catch (PowerWentOff e) {
      disk.powerLoss(seed * 1_000_003 + change);
      try {
        scenario.recoverAndCheck();
      } catch (Exception | AssertionError f) {
        throw new AssertionError("seed " + seed + ", power off at change " + change, f);
      }
      return 1;
    }
  }

  @Test
  void afterAFailureOfAnyChangeNothingIsLostAndTheLogOpensAgain() throws Exception {
    int failures = 0;
    for (long seed = 0; seed < 6 * ROUNDS; seed++) {
      VirtualDisk calm = new VirtualDisk(seed);
      new LogScenario(seed, calm).run(STEPS);
      long changes = calm.faults().changes();
      for (long change = 0; change < changes; change++) {
        failures += failAt(seed, change);
      }
    }
    assertThat(failures).isGreaterThan(500);
  }

  private static int failAt(long seed, long change) throws Exception {
    VirtualDisk disk = new VirtualDisk(seed);
    LogScenario scenario = new LogScenario(seed, disk);
    disk.faults().failAt(change);
    try {
      scenario.run(STEPS);
      return 0;
    } catch (IOException | RefusedAppend e) {
      disk.faults().failAt(-1);
      disk.processKill();
      try {
        scenario.recoverAndCheck();
        assertThat(scenario.log.failure()).isNull();
      } catch (Exception | AssertionError f) {
        f.addSuppressed(e);
        throw new AssertionError("seed " + seed + ", failure of change " + change, f);
      }
      return 1;
    }
  }
}
