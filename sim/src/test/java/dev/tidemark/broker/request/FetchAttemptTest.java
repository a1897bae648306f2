package dev.tidemark.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.Partitions;
import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.HeldBackground;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.sim.SeededRandomness;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FetchAttemptTest {
  private static final Uuid TOPIC = new Uuid(1, 2);
  private static final int BETTER_REPLICA = 2;
  private static final short SESSION_VERSION = 17;

  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final FetchSessions sessions = new FetchSessions(10, clock, new SeededRandomness(1));
  private final Partitions partitions = new Partitions();
  private PartitionLeader leader;

  @BeforeEach
  void host() throws IOException {
    leader = open(0, 3);
  }

  private PartitionLeader open(int partition, int leaderEpoch) throws IOException {
    LogId id = new LogId("events", partition, TOPIC);
    PartitionLog log =
        PartitionLog.open(
            id,
            new VirtualDisk(1).root().directory(id.folderName()),
            LogSettings.defaults(),
            LogOpening.unknown(),
            clock);
    HostedReplica opened =
        new HostedReplica(
            log, 0, ReplicaContext.alone(1, new HeldBackground(), new VirtualTimers(clock), clock));
    opened.apply(new CommittedPartition(1, leaderEpoch, 0, List.of(1), List.of(1)), 1);
    partitions.host(opened);
    return Objects.requireNonNull(opened.leader());
  }

  /** Appends one batch of exactly {@code bytes}. */
  private static void append(PartitionLeader to, int bytes) throws Exception {
    int fixed = Batches.plain(1_000_000, "").remaining();
    for (int length = Math.max(0, bytes - fixed - 8); ; length++) {
      ByteBuffer batch = Batches.plain(1_000_000, "x".repeat(length / 2));
      if (batch.remaining() >= bytes) {
        to.append(batch, AppendOrigin.CLIENT);
        return;
      }
    }
  }

  private static FetchedPartition wanted(int partition, long offset, int maxBytes) {
    return wanted(partition, offset, maxBytes, -1, -1);
  }

  private static FetchedPartition wanted(
      int partition, long offset, int maxBytes, int leaderEpoch, int lastFetchedEpoch) {
    FetchedPartition wanted =
        new FetchedPartition(new FetchedPartition.Key(null, TOPIC, partition));
    wanted.update(
        new FetchPartition()
            .setPartition(partition)
            .setFetchOffset(offset)
            .setPartitionMaxBytes(maxBytes)
            .setCurrentLeaderEpoch(leaderEpoch)
            .setLastFetchedEpoch(lastFetchedEpoch));
    return wanted;
  }

  private FetchAttempt attempt(int maxBytes, boolean readCommitted) {
    return new FetchAttempt(
        partitions, maxBytes, new FetchReader(readCommitted, true, true, ""), ReadReplicas.LEADER);
  }

  private PartitionData fetch(int maxBytes, FetchedPartition wanted) {
    FetchAttempt attempt = attempt(maxBytes, false);
    attempt.readAll(List.of(wanted));
    return attempt.parts().get(0).data();
  }

  @Test
  void aFirstBatchLargerThanTheBudgetIsGivenAndThenTheBudgetHolds() throws Exception {
    append(leader, 900);
    long second = leader.log().logEndOffset();
    append(leader, 300);
    append(leader, 300);
    int first = FetchResponse.recordsSize(fetch(500, wanted(0, 0, 1 << 20)));
    assertThat(first).isBetween(900, 910);
    int next = FetchResponse.recordsSize(fetch(500, wanted(0, second, 1 << 20)));
    assertThat(next).isBetween(300, 310);
  }

  @Test
  void onlyTheFirstPartitionMayPassTheBudget() throws Exception {
    PartitionLeader other = open(1, 0);
    append(leader, 900);
    append(other, 900);
    FetchAttempt attempt = attempt(500, false);
    attempt.readAll(List.of(wanted(0, 0, 500), wanted(1, 0, 500)));
    assertThat(FetchResponse.recordsSize(attempt.parts().get(0).data())).isGreaterThan(500);
    assertThat(FetchResponse.recordsSize(attempt.parts().get(1).data())).isZero();
    assertThat(attempt.answerNow()).isTrue();
  }

  @Test
  void whoLeavesRecordsBehindForWantOfRoomDoesNotWaitForMore() throws Exception {
    append(leader, 300);
    append(leader, 300);
    FetchAttempt cut = attempt(1 << 20, false);
    cut.readAll(List.of(wanted(0, 0, 400)));
    assertThat(cut.answerNow()).isTrue();
    FetchAttempt whole = attempt(1 << 20, false);
    whole.readAll(List.of(wanted(0, 0, 1 << 20)));
    assertThat(whole.answerNow()).isFalse();
  }

  @Test
  void whoKnowsAnotherLeaderEpochIsRefused() {
    assertThat(fetch(500, wanted(0, 0, 500, 2, -1)).errorCode())
        .isEqualTo(Errors.FENCED_LEADER_EPOCH.code());
    assertThat(fetch(500, wanted(0, 0, 500, 4, -1)).errorCode())
        .isEqualTo(Errors.UNKNOWN_LEADER_EPOCH.code());
    assertThat(fetch(500, wanted(0, 0, 500, 3, -1)).errorCode()).isEqualTo(Errors.NONE.code());
  }

  @Test
  void aFetcherWhoseLogWentAnotherWayIsToldWhereItsEpochEnds() throws Exception {
    append(leader, 100);
    PartitionData data = fetch(500, wanted(0, 5, 500, -1, 3));
    assertThat(FetchResponse.isDivergingEpoch(data)).isTrue();
    assertThat(data.divergingEpoch().epoch()).isEqualTo(3);
    assertThat(data.divergingEpoch().endOffset()).isEqualTo(1);
    assertThat(FetchResponse.recordsSize(data)).isZero();
  }

  @Test
  void offsetsOutsideTheLogAndUnknownTopicsAreErrorsThatDoNotWait() {
    FetchAttempt attempt = attempt(500, false);
    FetchedPartition unknown =
        new FetchedPartition(new FetchedPartition.Key(null, new Uuid(9, 9), 0));
    attempt.readAll(List.of(wanted(0, 99, 500), unknown, wanted(7, 0, 500)));
    assertThat(attempt.parts().stream().map(part -> Errors.forCode(part.data().errorCode())))
        .containsExactly(
            Errors.OFFSET_OUT_OF_RANGE, Errors.UNKNOWN_TOPIC_ID, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(attempt.answerNow()).isTrue();
  }

  @Test
  void anOffsetBelowTheLogStartIsOutOfRangeAlsoWhenTheEpochDiverges() throws Exception {
    // KAFKA-12996
    append(leader, 100);
    append(leader, 100);
    leader.log().advanceLogStartOffset(1, 2);
    assertThat(fetch(500, wanted(0, 0, 500, -1, 2)).errorCode())
        .isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
  }

  @Test
  void anOffsetBelowTheLogStartIsOutOfRangeThoughTheEpochOfTheFetcherIsNotKnownHere()
      throws Exception {
    // KAFKA-12996
    PartitionLeader other = open(1, 1);
    append(other, 100);
    append(other, 100);
    append(other, 100);
    other.onCommitted(new CommittedPartition(1, 3, 3, List.of(1), List.of(1)));
    append(other, 100);
    PartitionData above = fetch(500, wanted(1, 3, 500, -1, 2));
    assertThat(FetchResponse.isDivergingEpoch(above)).isTrue();
    other.log().advanceLogStartOffset(1, 4);
    PartitionData below = fetch(500, wanted(1, 0, 500, -1, 2));
    assertThat(FetchResponse.isDivergingEpoch(below)).isFalse();
    assertThat(below.errorCode()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
  }

  @Test
  void epochZeroIsAnEpoch() throws Exception {
    PartitionLeader first = open(1, 0);
    append(first, 100);
    assertThat(fetch(500, wanted(1, 0, 500, 0, -1)).errorCode()).isEqualTo(Errors.NONE.code());
    assertThat(fetch(500, wanted(0, 0, 500, 0, -1)).errorCode())
        .isEqualTo(Errors.FENCED_LEADER_EPOCH.code());
    PartitionData data = fetch(500, wanted(1, 1, 500, -1, 0));
    assertThat(FetchResponse.isDivergingEpoch(data)).isFalse();
  }

  @Test
  void abortedTransactionsAreToldToReadersOfCommittedRecordsOnly() throws Exception {
    leader.append(Batches.transactional(7, 0, 0, 1_000_000, "a"), AppendOrigin.COORDINATOR);
    leader.append(Batches.marker(7, 0, false, 0, 1_000_000), AppendOrigin.COORDINATOR);
    append(leader, 100);
    assertThat(fetch(5000, wanted(0, 0, 5000)).abortedTransactions()).isNullOrEmpty();
    FetchAttempt committed = attempt(5000, true);
    committed.readAll(List.of(wanted(0, 0, 5000)));
    PartitionData data = committed.parts().get(0).data();
    assertThat(data.abortedTransactions()).hasSize(1);
    assertThat(data.abortedTransactions().get(0).firstOffset()).isZero();
    assertThat(data.lastStableOffset()).isEqualTo(3);
  }

  private FetchSession newSession() {
    FetchRequestData first =
        new FetchRequestData()
            .setSessionEpoch(0)
            .setTopics(
                List.of(
                    new FetchTopic()
                        .setTopicId(TOPIC)
                        .setPartitions(
                            List.of(
                                new FetchPartition()
                                    .setPartition(0)
                                    .setPartitionMaxBytes(500)
                                    .setCurrentLeaderEpoch(3)))));
    return Objects.requireNonNull(sessions.lookUp(first, SESSION_VERSION).session());
  }

  @Test
  void eachFetchOfASessionIsFencedAlsoOneThatNamesNothing() throws Exception {
    // KAFKA-9338
    FetchSession session = newSession();
    assertThat(fetch(500, session.inOrder().get(0)).errorCode()).isEqualTo(Errors.NONE.code());

    leader.onCommitted(new CommittedPartition(1, 4, 4, List.of(1), List.of(1)));
    FetchRequestData next =
        new FetchRequestData().setSessionId(session.id()).setSessionEpoch(1).setTopics(List.of());
    FetchSession again = Objects.requireNonNull(sessions.lookUp(next, SESSION_VERSION).session());
    assertThat(fetch(500, again.inOrder().get(0)).errorCode())
        .isEqualTo(Errors.FENCED_LEADER_EPOCH.code());
  }

  @Test
  void aHintIsInEachAnswerOfASessionAndNeverWaitsThoughThereIsNoNews() {
    // KAFKA-8443, KAFKA-13767
    FetchSession session = newSession();
    for (int fetch = 0; fetch < 3; fetch++) {
      FetchAttempt attempt =
          new FetchAttempt(
              partitions,
              500,
              new FetchReader(false, true, true, "rack"),
              (of, offset, rack) -> BETTER_REPLICA);
      attempt.readAll(session.inOrder());
      assertThat(attempt.answerNow()).as("fetch %d", fetch).isTrue();
      FetchResponseData answer = attempt.toResponse(session, fetch > 0);
      assertThat(answer.responses()).as("fetch %d", fetch).hasSize(1);
      PartitionData part = answer.responses().get(0).partitions().get(0);
      assertThat(part.preferredReadReplica()).as("fetch %d", fetch).isEqualTo(BETTER_REPLICA);
    }
    FetchAttempt here = attempt(500, false);
    here.readAll(session.inOrder());
    assertThat(here.answerNow()).isFalse();
    assertThat(here.toResponse(session, true).responses()).as("without a hint").isEmpty();
  }

  @Test
  void anEpochOfTheFetcherThatIsNotKnownHereIsNoDivergence() throws Exception {
    // KAFKA-9840
    append(leader, 100);
    PartitionData data = fetch(500, wanted(0, 1, 500, -1, 9));
    assertThat(FetchResponse.isDivergingEpoch(data)).isFalse();
    assertThat(data.errorCode()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
  }
}
