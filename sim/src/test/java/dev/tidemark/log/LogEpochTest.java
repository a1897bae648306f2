package dev.tidemark.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LogEpochTest {
  private final LogFixture fixture = new LogFixture();

  @Test
  void aLeaderWithoutRecordsStillEndsTheEpochBefore() throws Exception {
    // KAFKA-7415
    PartitionLog log = fixture.open();
    log.assignEpochStart(4);
    fixture.append(log, 4, "a", "b");
    log.assignEpochStart(5);
    log.assignEpochStart(6);
    fixture.append(log, 6, "c");
    assertThat(log.endOffsetForEpoch(4)).isEqualTo(new EpochEnd(4, 2));
    assertThat(log.endOffsetForEpoch(6)).isEqualTo(new EpochEnd(6, 3));
    assertThat(log.endOffsetForEpoch(7)).isEqualTo(EpochEnd.UNDEFINED);
    assertThat(log.endOffsetForEpoch(-1)).isEqualTo(EpochEnd.UNDEFINED);
  }

  @Test
  void anEpochBeforeTheFirstKnownOneEndsWhereThatOneBegins() throws Exception {
    PartitionLog log = fixture.open(new LogOpening(true, 10, 10));
    log.assignEpochStart(5);
    fixture.append(log, 5, "a");
    assertThat(log.endOffsetForEpoch(4)).isEqualTo(new EpochEnd(4, 10));
  }

  @Test
  void theAnswerForAnUnknownEpochCarriesTheNextLowerKnownOne() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 0, "a");
    fixture.append(log, 3, "b");
    fixture.append(log, 7, "c");
    assertThat(log.endOffsetForEpoch(5)).isEqualTo(new EpochEnd(3, 2));
    assertThat(log.endOffsetForEpoch(0)).isEqualTo(new EpochEnd(0, 1));
    assertThat(log.epochForOffset(1)).isEqualTo(3);
  }

  @Test
  void truncationToTheEndRemovesAConflictingEpochThoughNoRecordIsCut() throws Exception {
    // KAFKA-10706
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    log.assignEpochStart(2);
    assertThat(log.latestEpoch()).isEqualTo(2);
    log.truncateTo(1);
    assertThat(log.latestEpoch()).isEqualTo(1);
    assertThat(log.logEndOffset()).isEqualTo(1);
  }

  @Test
  void recoveryFindsEpochZeroWhenTheFileOfEpochsIsGone() throws Exception {
    // KAFKA-10432
    PartitionLog log = fixture.open();
    fixture.append(log, 0, "a", "b");
    log.flushAndWait();
    fixture.folder().delete(FileNames.EPOCHS);
    PartitionLog again = fixture.openAfterKill(0);
    assertThat(again.epochStarts()).containsExactly(new EpochStart(0, 0));

    again.close(true);
    fixture.folder().delete(FileNames.EPOCHS);
    PartitionLog started = fixture.open(new LogOpening(false, 0, 1));
    assertThat(started.epochStarts()).as("from its start on").containsExactly(new EpochStart(0, 1));
  }

  @Test
  void whereAKillTakesTheLogStartBackTheEpochsReachBackToo() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b");
    fixture.append(log, 2, "c");
    log.advanceLogStartOffset(2, 3);
    log.close(true); // writes the epochs from there on; the checkpoint with the start never came
    PartitionLog again = fixture.openAfterKill(3);
    assertThat(again.logStartOffset()).isZero();
    assertThat(again.epochStarts()).containsExactly(new EpochStart(1, 0), new EpochStart(2, 2));
  }

  @Test
  void aTornFileOfEpochsIsRebuiltFromTheBatches() throws Exception {
    // KAFKA-16541
    fixture.settings = fixture.settings.withSegmentBytes(200);
    PartitionLog log = fixture.open();
    for (int epoch = 0; epoch < 6; epoch++) {
      fixture.append(log, epoch, "some text of this length", "and more");
    }
    log.flushAndWait();
    byte[] whole = fixture.folder().readAll(FileNames.EPOCHS);
    for (int bytes = 0; bytes < whole.length; bytes++) {
      log.close(true);
      fixture.cut(FileNames.EPOCHS, bytes);
      log = fixture.open(new LogOpening(true, 12, 0));
      assertThat(log.epochStarts()).hasSize(6).startsWith(new EpochStart(0, 0));
      assertThat(log.endOffsetForEpoch(3)).isEqualTo(new EpochEnd(3, 8));
    }
    assertThat(new String(whole, StandardCharsets.UTF_8)).startsWith("0\n6\n0 0\n1 2\n");
  }

  @Test
  void aFileOfEpochsThatContradictsTheBatchesIsRebuilt() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a");
    fixture.append(log, 2, "b");
    log.close(false);
    fixture.cut(FileNames.EPOCHS, 0);
    fixture.overwrite(FileNames.EPOCHS, 0, "0\n1\n2 0\n".getBytes(StandardCharsets.UTF_8));
    PartitionLog again = fixture.openAfterKill(0);
    assertThat(again.epochStarts()).containsExactly(new EpochStart(1, 0), new EpochStart(2, 1));
  }

  @Test
  void theEpochThatHoldsTheLogStartBeginsThere() throws Exception {
    PartitionLog log = fixture.open();
    fixture.append(log, 1, "a", "b");
    fixture.append(log, 2, "c", "d", "e");
    log.advanceLogStartOffset(3, 5);
    assertThat(log.epochStarts()).containsExactly(new EpochStart(2, 3));
  }

  @Test
  void aFollowerLearnsEpochsFromTheBatches() throws Exception {
    PartitionLog log = fixture.open();
    log.appendReplicated(fixture.replicated(0, 3, "a"));
    log.appendReplicated(fixture.replicated(1, 5, "b"));
    assertThat(log.epochStarts()).containsExactly(new EpochStart(3, 0), new EpochStart(5, 1));
  }
}
