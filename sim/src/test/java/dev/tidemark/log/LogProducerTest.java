package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.sim.DiskFaults.Change;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogProducerTest {
  private static final long ID = 9;

  private final LogFixture fixture = new LogFixture();
  private PartitionLog log;

  LogProducerTest() throws Exception {
    log = fixture.open();
  }

  @BeforeEach
  void tenBatchesOfTwo() throws Exception {
    for (int i = 0; i < 10; i++) {
      append(0, 2 * i, "a", "b");
    }
  }

  private AppendResult append(int epoch, int sequence, String... values) throws Exception {
    ByteBuffer batch = Batches.of(ID, epoch, sequence, fixture.clock.wallMs(), values);
    return log.append(batch, 1, AppendOrigin.CLIENT);
  }

  private AppendResult inTransaction(int sequence) throws Exception {
    ByteBuffer batch = Batches.transactional(ID, 0, sequence, fixture.clock.wallMs(), "t");
    return log.append(batch, 1, AppendOrigin.COORDINATOR);
  }

  private void end(boolean commit, int coordinatorEpoch) throws Exception {
    log.append(
        Batches.marker(ID, 0, commit, coordinatorEpoch, fixture.clock.wallMs()),
        1,
        AppendOrigin.COORDINATOR);
  }

  private static void assertRefused(Errors error, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedAppend.class, e -> assertThat(e.error()).as(e.getMessage()).isEqualTo(error));
  }

  @Test
  void eachOfTheLastFiveBatchesIsAnsweredWithItsFirstOffsets() throws Exception {
    for (int i = 5; i < 10; i++) {
      AppendResult again = append(0, 2 * i, "a", "b");
      assertThat(again.duplicate()).isTrue();
      assertThat(again.baseOffset()).isEqualTo(2L * i);
      assertThat(again.lastOffset()).isEqualTo(2L * i + 1);
    }
    assertThat(log.logEndOffset()).isEqualTo(20);
  }

  @Test
  void aRetryOlderThanTheFiveIsCalledADuplicateAndNotStoredAgain() throws Exception {
    assertRefused(Errors.DUPLICATE_SEQUENCE_NUMBER, () -> append(0, 0, "a", "b"));
    assertRefused(Errors.DUPLICATE_SEQUENCE_NUMBER, () -> append(0, 8, "a", "b"));
    assertThat(log.logEndOffset()).isEqualTo(20);
  }

  @Test
  void aGapAndAnOverlapAreOutOfOrder() throws Exception {
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(0, 21, "a"));
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(0, 19, "a", "b"));
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(1, 5, "a"));
    assertThat(append(0, 20, "a").baseOffset()).isEqualTo(20);
  }

  @Test
  void aNewEpochStartsAtZeroAndFencesTheOldOne() throws Exception {
    assertThat(append(1, 0, "a").baseOffset()).isEqualTo(20);
    assertRefused(Errors.INVALID_PRODUCER_EPOCH, () -> append(0, 20, "a"));
  }

  @Test
  void aProducerThatIsNotKnownMayBeginAnywhereButMayNotPretendToRepeat() throws Exception {
    long other = 77;
    log.append(Batches.of(other, 0, 50, fixture.clock.wallMs(), "a"), 1, AppendOrigin.CLIENT);
    assertRefused(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        () ->
            log.append(
                Batches.of(other, 0, 40, fixture.clock.wallMs(), "a"), 1, AppendOrigin.CLIENT));
  }

  @Test
  void sequencesGoOnAtZeroAfterTheLargest() throws Exception {
    long other = 78;
    int sequence = Integer.MAX_VALUE - 1;
    log.append(
        Batches.of(other, 0, sequence, fixture.clock.wallMs(), "a", "b", "c"),
        1,
        AppendOrigin.CLIENT);
    AppendResult next =
        log.append(Batches.of(other, 0, 1, fixture.clock.wallMs(), "d"), 1, AppendOrigin.CLIENT);
    assertThat(next.baseOffset()).isEqualTo(23);
    assertThat(
            log.append(
                    Batches.of(other, 0, sequence, fixture.clock.wallMs(), "a", "b", "c"),
                    1,
                    AppendOrigin.CLIENT)
                .duplicate())
        .isTrue();
  }

  @Test
  void aFollowerTakesAnySequenceFromItsLeader() throws Exception {
    // KAFKA-6003
    ByteBuffer batch = Batches.of(5, 0, 7, fixture.clock.wallMs(), "a");
    log.appendReplicated(batch.putLong(0, 20).putInt(12, 1));
    batch = Batches.of(5, 0, 99, fixture.clock.wallMs(), "a");
    log.appendReplicated(batch.putLong(0, 21).putInt(12, 1));
    assertThat(log.producers().entry(5)).extracting(ProducerEntry::lastSequence).isEqualTo(99);
  }

  @Test
  void theLastBatchOfEachProducerIsKnownAfterAnyRestart() throws Exception {
    log = fixture.openAfterCleanStop(log);
    assertThat(append(0, 18, "a", "b").duplicate()).isTrue();
    append(0, 20, "c");
    log = fixture.openAfterKill(0);
    assertThat(append(0, 20, "c").duplicate()).isTrue();
    assertThat(append(0, 21, "d").baseOffset()).isEqualTo(21);
  }

  /** All that a client may have under way are kept, so that a restart makes no duplicates. */
  @Test
  void ofASnapshotTheLastFiveBatchesAreDuplicatesAndOlderOnesAreOutOfOrder() throws Exception {
    log.roll(); // takes a snapshot
    log = fixture.openAfterKill(20);
    for (int sequence = 10; sequence < 20; sequence += 2) {
      assertThat(append(0, sequence, "a", "b"))
          .matches(AppendResult::duplicate)
          .returns((long) sequence, AppendResult::baseOffset);
    }
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(0, 8, "a", "b"));
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(0, 0, "a", "b"));
    for (int sequence = 20; sequence < 25; sequence++) {
      assertThat(append(0, sequence, "c").duplicate()).isFalse();
    }
    assertRefused(Errors.DUPLICATE_SEQUENCE_NUMBER, () -> append(0, 10, "a", "b"));
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(0, 8, "a", "b"));
    assertThat(log.logEndOffset()).isEqualTo(25);
  }

  @Test
  void aBatchWhoseWriteFailsIsNotRememberedAndItsRetryIsStoredOnceWhenTheLogIsOpenedAgain()
      throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      long wrote = fixture.disk.faults().changes();
      int next = log.producers().entry(ID).lastSequence() + 1;
      long end = log.logEndOffset();
      fixture.disk.faults().failNext(Change.WRITE, 0);
      assertThatThrownBy(() -> append(0, next, "c")).isInstanceOf(IOException.class);
      assertThat(fixture.disk.faults().changes()).isGreaterThan(wrote);
      assertThat(log.producers().entry(ID).lastSequence()).isEqualTo(next - 1);
      assertThat(log.logEndOffset()).isEqualTo(end);
      log.close(false);
      log = fixture.open(LogOpening.afterFailure(0, 0));
      assertThat(append(0, next, "c").baseOffset()).isEqualTo(end);
      assertThat(log.logEndOffset()).isEqualTo(end + 1);
    }
  }

  @Test
  void whatATruncationRemovesIsForgottenAndMayComeAgain() throws Exception {
    log.truncateTo(16);
    assertThat(append(0, 14, "a", "b").duplicate()).isTrue();
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(0, 18, "a", "b"));
    AppendResult again = append(0, 16, "a", "b");
    assertThat(again.duplicate()).isFalse();
    assertThat(again.baseOffset()).isEqualTo(16);
  }

  @Test
  void aTruncationBringsBackTheEpochThatWasThere() throws Exception {
    append(1, 0, "a");
    log.truncateTo(20);
    assertThat(append(0, 20, "c").baseOffset()).isEqualTo(20);
    assertThat(append(1, 0, "a").baseOffset()).isEqualTo(21);
  }

  @Test
  void epochsAndWindowsAreTheSameAfterAnyRestart() throws Exception {
    append(3, 0, "a");
    log = fixture.openAfterKill(0);
    assertRefused(Errors.INVALID_PRODUCER_EPOCH, () -> append(2, 0, "a"));
    assertThat(append(3, 0, "a").duplicate()).isTrue();
    log = fixture.openAfterCleanStop(log);
    assertRefused(Errors.INVALID_PRODUCER_EPOCH, () -> append(2, 0, "a"));
    assertRefused(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, () -> append(3, 2, "b"));
    assertThat(append(3, 1, "b").duplicate()).isFalse();
  }

  @Test
  void aDuplicateIsAnsweredWithTheTimeOfTheBatchThatIsThere() throws Exception {
    long written = fixture.clock.wallMs();
    append(0, 20, "c");
    fixture.clock.advanceMs(5000);
    AppendResult again =
        log.append(Batches.of(ID, 0, 20, written + 5000, "c"), 1, AppendOrigin.CLIENT);
    assertThat(again.duplicate()).isTrue();
    assertThat(again.logAppendTimeMs()).isEqualTo(written);
  }

  @Test
  void anIdleProducerIsForgottenUnlessItsTransactionIsOpen() throws Exception {
    fixture.clock.advanceMs(86_400_000);
    ByteBuffer open = Batches.transactional(4, 0, 0, fixture.clock.wallMs() - 86_400_000, "t");
    log.append(open, 1, AppendOrigin.COORDINATOR);
    assertThat(log.expireProducers()).isEqualTo(1);
    assertThat(log.producers().entries()).extracting(ProducerEntry::producerId).containsExactly(4L);
    assertThat(append(0, 500, "x").baseOffset()).isEqualTo(21);
  }

  @Test
  void theStableOffsetWaitsForTheMarkerToBeBelowTheWatermark() throws Exception {
    inTransaction(20);
    append2(21);
    assertThat(log.lastStableOffset(22)).isEqualTo(20);
    end(true, 3);
    assertThat(log.lastStableOffset(22)).isEqualTo(20);
    assertThat(log.lastStableOffset(23)).isEqualTo(23);
    assertThat(log.abortedTransactions(0, 23)).isEmpty();
  }

  private void append2(int sequence) throws Exception {
    inTransaction(sequence);
  }

  @Test
  void abortedTransactionsAreListedByFirstOffsetAlsoAfterRestarts() throws Exception {
    inTransaction(20);
    log.append(
        Batches.transactional(3, 0, 0, fixture.clock.wallMs(), "u"), 1, AppendOrigin.COORDINATOR);
    log.append(Batches.marker(3, 0, false, 1, fixture.clock.wallMs()), 1, AppendOrigin.COORDINATOR);
    log.roll();
    end(false, 1);
    AbortedTxn first = new AbortedTxn(ID, 20, 23, 24);
    AbortedTxn second = new AbortedTxn(3, 21, 22, 20);
    assertThat(log.abortedTransactions(0, 24)).containsExactly(first, second);
    assertThat(log.abortedTransactions(23, 24)).containsExactly(first);
    log = fixture.openAfterKill(0);
    assertThat(log.abortedTransactions(0, 24)).containsExactly(first, second);
    log = fixture.openAfterCleanStop(log);
    assertThat(log.abortedTransactions(0, 24)).containsExactly(first, second);
    assertThat(log.lastStableOffset(24)).isEqualTo(24);
  }

  @Test
  void aClientsTransactionThatNobodyWouldEndIsRefusedAndHoldsNoReaderUp() throws Exception {
    ByteBuffer batch = Batches.transactional(ID, 0, 20, fixture.clock.wallMs(), "t");
    assertThatThrownBy(() -> log.append(batch, 1, AppendOrigin.CLIENT))
        .isInstanceOfSatisfying(
            RefusedAppend.class, e -> assertThat(e.error()).isEqualTo(Errors.INVALID_TXN_STATE))
        .hasMessageContaining("does not support transactions yet");
    assertThat(log.logEndOffset()).isEqualTo(20);
    assertThat(log.lastStableOffset(20)).isEqualTo(20);
    assertThat(append(0, 20, "plain").baseOffset()).isEqualTo(20);
  }

  @Test
  void aReplacedCoordinatorAndAStrayWriteAreRefused() throws Exception {
    inTransaction(20);
    assertRefused(Errors.INVALID_TXN_STATE, () -> append(0, 21, "plain"));
    end(true, 5);
    assertThat(log.logEndOffset()).isEqualTo(22);
    assertRefused(Errors.TRANSACTION_COORDINATOR_FENCED, () -> end(true, 4));
    append(1, 0, "of a later producer epoch");
    assertRefused(Errors.INVALID_PRODUCER_EPOCH, () -> end(true, 5));
    assertThat(log.logEndOffset()).isEqualTo(23);
  }
}
