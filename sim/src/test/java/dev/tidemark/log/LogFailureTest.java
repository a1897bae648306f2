package dev.tidemark.log;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.sim.DiskFaults.Change;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class LogFailureTest {
  private final LogFixture fixture = new LogFixture();

  private void assertRefusesAppends(PartitionLog log) {
    assertThatThrownBy(() -> fixture.append(log, 1, "x"))
        .isInstanceOfSatisfying(
            RefusedAppend.class, e -> assertThat(e.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR))
        .hasMessageContaining("opened again");
    assertThatThrownBy(() -> log.close(true)).isInstanceOf(IOException.class);
  }

  @Test
  void aFailedWriteClosesTheLogToAppendsUntilItIsOpenedAgain() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      LogFixture own = new LogFixture();
      PartitionLog log = own.open();
      own.append(log, 1, "a");
      own.disk.faults().failNext(Change.WRITE, 0);
      assertThatThrownBy(() -> own.append(log, 1, "b")).isInstanceOf(IOException.class);
      assertThat(log.logEndOffset()).isEqualTo(1);
      assertThat(LogFixture.bases(log)).containsExactly(0L);
      assertRefusesAppends(log);
      PartitionLog again = own.openAfterKill(0);
      assertThat(again.logEndOffset()).isBetween(1L, 2L);
      assertThat(own.append(again, 1, "c").baseOffset()).isEqualTo(again.logEndOffset() - 1);
    }
  }

  @Test
  void aFullDiskFailsTheAppendAndHarmsNothing() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.disk.faults().capacityBytes(250);
    assertThatThrownBy(() -> fixture.append(log, 1, "b".repeat(300)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no space left");
    assertRefusesAppends(log);
    fixture.disk.faults().capacityBytes(Long.MAX_VALUE);
    PartitionLog again = fixture.openAfterKill(0);
    assertThat(LogFixture.bases(again)).containsExactly(0L);
  }

  @Test
  void aFailedSyncIsNeverTakenForASyncedEnd() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.disk.faults().failNext(Change.SYNC, 0);
    assertThatThrownBy(log::flushAndWait).isInstanceOf(IOException.class);
    assertThat(log.syncedEndOffset()).isZero();
    assertRefusesAppends(log);
  }

  @Test
  void aLogThatIsOpenedAgainWritesOnceMoreWhatAFailedSyncDropped() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      LogFixture own = new LogFixture();
      own.disk.faults().failedSyncsDrop(true);
      PartitionLog log = own.open();
      own.append(log, 1, "a");
      log.flushAndWait();
      long recoveryPoint = log.recoveryPoint();
      own.append(log, 1, "b");
      log.roll();
      own.append(log, 1, "c");
      own.disk.faults().failNext(Change.SYNC, seed % 4);
      assertThatThrownBy(log::flushAndWait).isInstanceOf(IOException.class);
      log.close(false);
      PartitionLog again = own.open(LogOpening.afterFailure(recoveryPoint, 0));
      assertThat(LogFixture.bases(again)).containsExactly(0L, 1L, 2L);
      again.flushAndWait();
      long synced = again.recoveryPoint();
      own.disk.powerLoss(seed);
      PartitionLog last = own.open(new LogOpening(false, synced, 0));
      assertThat(LogFixture.bases(last)).containsExactly(0L, 1L, 2L);
    }
  }

  /** Whether its files are read or it goes on from a summary. */
  @Test
  void whatAKilledProcessCouldNotSyncIsSyncedByTheNext() throws Exception {
    for (int seed = 0; seed < 40; seed++) {
      LogFixture own = new LogFixture();
      own.disk.faults().failedSyncsDrop(true);
      PartitionLog log = own.open();
      own.append(log, 1, "a");
      log.flushAndWait();
      own.append(log, 1, "b");
      boolean goesOn = seed >= 20;
      if (!goesOn) { // there is no summary of a segment that has just ended
        log.roll();
      }
      own.append(log, 1, "c");
      LogSummary left = log.summary();
      long recoveryPoint = log.recoveryPoint();
      own.disk.faults().failNext(Change.SYNC, goesOn ? 0 : seed % 4);
      assertThatThrownBy(log::flushAndWait).isInstanceOf(IOException.class);
      own.disk.processKill();
      PartitionLog next =
          goesOn
              ? PartitionLog.resume(
                  LogFixture.ID, own.folder(), own.settings, requireNonNull(left), false, own.clock)
              : own.open(new LogOpening(false, recoveryPoint, 0));
      next.rewriteAndWait();
      long synced = next.recoveryPoint();
      assertThat(next.syncedEndOffset()).isEqualTo(3);
      own.disk.powerLoss(seed);
      PartitionLog last = own.open(new LogOpening(false, synced, 0));
      assertThat(LogFixture.bases(last)).containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void anOpeningThatFailsLeavesNoFileOpen() throws Exception {
    for (int change = 0; change < 12; change++) {
      LogFixture own = new LogFixture();
      PartitionLog log = own.open();
      own.append(log, 1, "a");
      log.roll();
      own.append(log, 1, "b");
      log.close(false);
      own.disk.faults().failAt(own.disk.faults().changes() + change);
      try {
        own.open(LogOpening.afterFailure(0, 0)).close(false);
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("injected");
      }
      assertThat(own.disk.openFiles()).as("failure of change %s", change).isZero();
    }
  }

  @Test
  void aFailureIsToldOnceToWhoListens() throws Exception {
    PartitionLog log = fixture.open();
    List<String> told = new ArrayList<>();
    log.onFailure(
        new PartitionLog.FailureListener() {
          @Override
          public void onFailed(PartitionLog failed) {
            told.add(failed.failure());
          }

          @Override
          public void onReadFailed(PartitionLog failed) {
            told.add("a read");
          }
        });
    fixture.append(log, 1, "a");
    fixture.disk.faults().failNext(Change.WRITE, 0);
    assertThatThrownBy(() -> fixture.append(log, 1, "b")).isInstanceOf(IOException.class);
    fixture.disk.faults().failNext(Change.SYNC, 0);
    assertThatThrownBy(log::flushAndWait).isInstanceOf(IOException.class);
    assertThat(told).singleElement().asString().contains("append failed");
  }

  @Test
  void syncsThatEndOutOfOrderRaiseTheSyncedEndInOrder() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    FlushTask first = log.flush();
    fixture.append(log, 1, "b");
    FlushTask second = log.flush();
    assertThat(log.isFlushing()).isTrue();
    second.run();
    second.onDone(true, null);
    assertThat(log.syncedEndOffset()).isZero();
    first.run();
    first.onDone(true, null);
    assertThat(log.syncedEndOffset()).isEqualTo(2);
    assertThat(log.isFlushing()).isFalse();
  }

  @Test
  void aFlushWithNothingToSyncIsDoneAtOnce() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    log.flushAndWait();
    FlushTask task = log.flush();
    assertThat(task.isEmpty()).isTrue();
    assertThat(log.isFlushing()).isFalse();
    assertThat(log.syncedEndOffset()).isEqualTo(1);
  }

  @Test
  void aSyncThatATruncationOvertakesProvesNothing() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.append(log, 1, "b");
    FlushTask flush = log.flush();
    log.truncateTo(1);
    fixture.append(log, 2, "c");
    flush.run();
    flush.onDone(true, null);
    assertThat(log.syncedEndOffset()).isZero();
    log.flushAndWait();
    assertThat(log.syncedEndOffset()).isEqualTo(2);
  }

  @Test
  void aCleanCloseSyncsWhatASyncThatHasYetToRunTook() throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      LogFixture own = new LogFixture();
      PartitionLog log = own.open();
      own.append(log, 1, "a");
      log.roll();
      own.append(log, 1, "b");
      FlushTask late = log.flush();
      log.close(true);
      assertThat(late.run()).isTrue();
      late.onDone(true, null);
      assertThat(own.disk.openFiles()).isZero();
      own.disk.powerLoss(seed);
      PartitionLog again = own.open(new LogOpening(true, 2, 0));
      assertThat(LogFixture.bases(again)).containsExactly(0L, 1L);
    }
  }

  @Test
  void aCloseIsNotCleanWhenASyncFailedWhoseEndTheLogHasNotHeardOf() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    FlushTask flush = log.flush();
    fixture.disk.faults().failNext(Change.SYNC, 0);
    assertThatThrownBy(flush::run).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> log.close(true)).hasMessageContaining("A sync failed before");
    flush.onDone(null, new IOException("told late"));
    assertThat(fixture.disk.openFiles()).isZero();
  }

  @Test
  void flushMessagesAndFlushMsAskForASync() throws Exception {
    fixture.settings = fixture.settings.withFlushMessages(3).withFlushMs(1000);
    PartitionLog log = fixture.open();
    log.flushAndWait();
    assertThat(log.needsFlush()).isFalse();
    fixture.append(log, 1, "a", "b");
    assertThat(log.needsFlush()).isFalse();
    fixture.clock.advanceMs(1000);
    assertThat(log.needsFlush()).isTrue();
    log.flushAndWait();
    assertThat(log.needsFlush()).isFalse();
    fixture.append(log, 1, "a", "b", "c");
    assertThat(log.needsFlush()).isTrue();
    log.flushAndWait();
    log.roll();
    assertThat(log.needsFlush()).isTrue();
  }
}
