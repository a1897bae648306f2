package dev.tidemark.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.EpochEnd;
import dev.tidemark.replica.LostTailEntry.State;
import dev.tidemark.sim.VirtualClock;
import org.junit.jupiter.api.Test;

/** What a new leader knows of the log of the one before it. */
class ElectionLossTest {
  private static final int OLD = 1;
  private static final int ELECTED_END = 5;
  private static final EpochEnd DIVERGES = new EpochEnd(0, ELECTED_END);

  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);

  private ElectionLoss loss(long seenEnd) {
    SeenLeader before = new SeenLeader(OLD, 3, seenEnd, clock.monotonicMs());
    return new ElectionLoss(before, 4, ELECTED_END, clock);
  }

  @Test
  void ofALeaderThatWasNeverHeardNothingIsKnown() {
    LostTailEntry entry = loss(-1).entry(ReplicaCluster.ID);
    assertThat(entry.state()).isEqualTo(State.UNCONFIRMED);
    assertThat(entry.startOffset()).isEqualTo(5);
    assertThat(entry.endOffset()).isEqualTo(5);
    assertThat(entry.seenBeforeMs()).isEqualTo(-1);
    assertThat(entry.name()).isEqualTo("5-4");
  }

  @Test
  void itIsExactOnceTheOldLeaderHasCutItsLog() {
    ElectionLoss loss = loss(7);
    assertThat(loss.offsets()).isEqualTo(2);
    loss.onFetch(2, 9, DIVERGES); // somebody else
    assertThat(loss.offsets()).isEqualTo(2);
    loss.onFetch(OLD, 9, DIVERGES);
    loss.onFetch(OLD, 8, DIVERGES);
    assertThat(loss.certainty()).isEqualTo(State.UNCONFIRMED);
    loss.onFetch(OLD, 4, null);
    assertThat(loss.certainty()).isEqualTo(State.EXACT);
    assertThat(loss.startOffset()).isEqualTo(4);
    assertThat(loss.endOffset()).isEqualTo(9);
    loss.onFetch(OLD, 12, DIVERGES); // another loss, which is told elsewhere
    loss.onFetch(OLD, 2, null);
    assertThat(loss.startOffset()).isEqualTo(4);
    assertThat(loss.endOffset()).isEqualTo(9);
  }

  /** What it never synced is lost as well. */
  @Test
  void anOldLeaderThatComesBackWithLessThanWasSeenLostWhatWasSeen() {
    ElectionLoss loss = loss(7);
    loss.onFetch(OLD, 6, DIVERGES);
    assertThat(loss.endOffset()).isEqualTo(7);
  }

  @Test
  void onlyTheFirstQuestionTellsWhereTheOldLogEnded() {
    ElectionLoss loss = loss(7);
    loss.onFetch(OLD, 8, DIVERGES);
    loss.onFetch(OLD, 9, DIVERGES);
    assertThat(loss.endOffset()).isEqualTo(8);
  }

  @Test
  void itTellsHowLongBeforeTheElectionTheEndWasSeen() {
    SeenLeader before = new SeenLeader(OLD, 3, 7, clock.monotonicMs() - 250);
    LostTailEntry entry = new ElectionLoss(before, 4, ELECTED_END, clock).entry(ReplicaCluster.ID);
    assertThat(entry.seenBeforeMs()).isEqualTo(250);
    assertThat(entry.endOffset()).isEqualTo(7);
  }

  @Test
  void anOldLeaderThatHadNoMoreCostsNothing() {
    ElectionLoss loss = loss(5);
    loss.onFetch(OLD, 5, null);
    assertThat(loss.certainty()).isEqualTo(State.EXACT);
    assertThat(loss.offsets()).isZero();
  }

  /** As with another disk: its log does not diverge, for there is none. */
  @Test
  void anOldLeaderThatComesBackWithoutItsLogLeavesNobodyWhoKnows() {
    ElectionLoss loss = loss(7);
    loss.onFetch(OLD, 0, null);
    assertThat(loss.certainty()).isEqualTo(State.GONE);
    assertThat(loss.offsets()).isEqualTo(2);
    loss.onFetch(OLD, 7, null); // by now it has copied so much from here
    assertThat(loss.certainty()).isEqualTo(State.GONE);
  }

  @Test
  void anEntryIsReadAsItWasWritten() {
    LostTailEntry entry = loss(7).entry(ReplicaCluster.ID);
    LostTailEntry read = LostTailEntry.parse(entry.toLine());
    assertThat(read).isEqualTo(entry);
    assertThat(new ElectionLoss(read).entry(ReplicaCluster.ID)).isEqualTo(entry);
  }
}
