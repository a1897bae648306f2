package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogSettings;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.StoredRecord;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class FollowerFetcherTest {
  private static final FetcherSettings SETTINGS = FetcherSettings.defaults();

  private final TwoBrokers brokers = new TwoBrokers();
  private final FakeLeader leader = new FakeLeader(TwoBrokers.TOPIC_ID, brokers.leaders);
  private final VirtualTimers timers = brokers.timers;
  private final List<PartitionFollower> followers = brokers.followers;
  private FollowerFetcher fetcher;

  private void start(int partitions) throws IOException {
    fetcher =
        new FollowerFetcher(1, SETTINGS, leader, brokers.followerThrottle(), brokers.context(2));
    for (int i = 0; i < partitions; i++) {
      fetcher.add(brokers.addPartition());
    }
  }

  private void produce(int partition, String... values) throws Exception {
    brokers.produce(partition, values);
  }

  private long end(int partition) {
    return brokers.end(partition);
  }

  private void answerAll(int rounds) throws Exception {
    for (int i = 0; i < rounds && !leader.fetches.isEmpty(); i++) {
      leader.answer();
    }
  }

  @Test
  void oneFetchAtATimeIsInFlightAndTheFirstNamesAll() throws Exception {
    start(3);
    assertThat(leader.fetches).hasSize(1);
    assertThat(leader.named()).containsExactly(0);
    leader.answer();
    assertThat(leader.fetches).hasSize(1);
    assertThat(leader.named()).containsExactly(1, 2);
    assertThat(leader.last().replicaState().replicaId()).isEqualTo(2);
    assertThat(leader.last().replicaState().replicaEpoch()).isEqualTo(12);
    assertThat(leader.last().maxWaitMs()).isEqualTo(SETTINGS.maxWaitMs());
  }

  @Test
  void aRequestNamesOnlyWhatChanged() throws Exception {
    start(50);
    answerAll(3);
    assertThat(leader.named()).isEmpty();
    produce(7, "a");
    leader.answer();
    assertThat(end(7)).isEqualTo(1);
    assertThat(leader.named()).containsExactly(7);
    leader.answer();
    assertThat(leader.named()).isEmpty();
    assertThat(brokers.leaders.get(7).highWatermark()).isEqualTo(1);
    assertThat(followers.get(7).highWatermark()).isEqualTo(1);
  }

  @Test
  void allThatIsProducedIsCopiedByteForByte() throws Exception {
    start(4);
    for (int i = 0; i < 40; i++) {
      produce(i % 4, "v" + i);
      leader.answer();
    }
    answerAll(4);
    for (int i = 0; i < 4; i++) {
      assertThat(StoredRecord.bytes(followers.get(i).log(), 10))
          .isEqualTo(StoredRecord.bytes(brokers.leaders.get(i).log(), 10));
      assertThat(followers.get(i).highWatermark()).isEqualTo(10);
    }
  }

  @Test
  void theLeadersEndComesWithItsAnswer() throws Exception {
    start(1);
    produce(0, "a", "b");
    leader.answer();
    assertThat(followers.get(0).seenLeader().logEndOffset()).isEqualTo(2);
  }

  @Test
  void aPartitionWithAnErrorLeavesTheSessionForAWhile() throws Exception {
    start(2);
    answerAll(3);
    brokers.leaders.get(0).stop(); // NOT_LEADER_OR_FOLLOWER
    leader.answer();
    assertThat(leader.forgotten()).containsExactly(0);
    produce(1, "goes on");
    leader.answer();
    assertThat(end(1)).isEqualTo(1);
    timers.advanceMs(SETTINGS.backoffMs());
    leader.answer();
    assertThat(leader.named()).contains(0);
  }

  @Test
  void aConnectionThatBreaksIsTriedAgainLaterWithAllPartitions() throws Exception {
    start(2);
    answerAll(3);
    leader.fail(Errors.NETWORK_EXCEPTION);
    assertThat(leader.fetches).isEmpty();
    timers.advanceMs(SETTINGS.backoffMs() - 1);
    assertThat(leader.fetches).isEmpty();
    timers.advanceMs(1);
    assertThat(leader.named()).containsExactly(0, 1);
    assertThat(leader.last().sessionEpoch()).isZero();
  }

  @Test
  void anAnswerThatTakesTooLongIsGivenUpAndIgnoredWhenItComes() throws Exception {
    start(1);
    produce(0, "a");
    timers.advanceMs(SETTINGS.timeoutMs());
    assertThat(leader.drops).isEqualTo(1);
    leader.answer(); // far too late
    assertThat(end(0)).isZero();
    assertThat(leader.fetches).isEmpty();
    timers.advanceMs(SETTINGS.backoffMs());
    leader.answer();
    assertThat(end(0)).isEqualTo(1);
  }

  @Test
  void aSessionThatTheLeaderLostBeginsAnewAtOnceButNotInALoop() throws Exception {
    start(2);
    answerAll(3);
    leader.forgetSession();
    leader.answer();
    assertThat(leader.last().sessionEpoch()).isZero();
    assertThat(leader.last().sessionId()).isZero();
    assertThat(leader.named()).containsExactly(0, 1);
    leader.answer();
    assertThat(leader.last().sessionEpoch()).isEqualTo(1);
  }

  @Test
  void aLeaderWithoutRoomForASessionIsAskedForAllEachTime() throws Exception {
    leader.grantsSessions = false;
    start(2);
    answerAll(3);
    assertThat(leader.named()).containsExactly(0, 1);
    assertThat(leader.last().sessionEpoch()).isZero();
    produce(1, "a");
    leader.answer();
    assertThat(end(1)).isEqualTo(1);
  }

  @Test
  void aPartitionThatIsTakenAwayIsForgottenAndItsAnswerIgnored() throws Exception {
    start(2);
    answerAll(3);
    produce(0, "a");
    fetcher.remove(followers.get(0));
    leader.answer();
    assertThat(end(0)).isZero();
    assertThat(leader.forgotten()).containsExactly(0);
  }

  @Test
  void aFollowerOutsideTheLeadersLogAsksForItsOffsets() throws Exception {
    start(1);
    answerAll(2);
    for (int i = 0; i < 4; i++) {
      produce(0, "v" + i);
    }
    brokers.leaders.get(0).log().truncateFullyAndStartAt(4);
    produce(0, "after");
    leader.answer();
    assertThat(leader.questions).hasSize(1);
    assertThat(leader.fetches).isEmpty(); // nothing else to fetch
    leader.answerOffsets();
    assertThat(followers.get(0).log().logStartOffset()).isEqualTo(4);
    leader.answer();
    assertThat(end(0)).isEqualTo(5);
  }

  @Test
  void aQuestionForOffsetsThatIsNeverAnsweredIsAskedAgain() throws Exception {
    start(1);
    brokers.leaders.get(0).log().truncateFullyAndStartAt(4);
    leader.answer();
    assertThat(leader.questions).hasSize(1);
    timers.advanceMs(SETTINGS.timeoutMs());
    timers.advanceMs(SETTINGS.backoffMs());
    leader.answer();
    assertThat(leader.questions).hasSize(2);
    leader.answerOffsets(); // of the first one, far too late
    assertThat(followers.get(0).log().logStartOffset()).isZero();
    leader.answerOffsets();
    assertThat(followers.get(0).log().logStartOffset()).isEqualTo(4);
  }

  @Test
  void whileAFollowerSyncsNoFetchWaitsAtTheLeader() throws Exception {
    brokers.followerSettings = LogSettings.defaults().withFlushMessages(1);
    start(2);
    answerAll(2);
    produce(0, "a");
    leader.answer();
    assertThat(end(0)).isEqualTo(1);
    assertThat(leader.fetches).isEmpty();
    brokers.background.runNext();
    assertThat(leader.fetches).hasSize(1);
    assertThat(leader.named()).containsExactly(0);
    assertThat(leader.last().topics().get(0).partitions().get(0).fetchOffset()).isEqualTo(1);
  }

  @Test
  void aNewEpochIsToldToTheLeader() throws Exception {
    start(1);
    answerAll(2);
    followers.get(0).onLeader(1, 3);
    brokers
        .leaders
        .get(0)
        .onCommitted(new CommittedPartition(1, 3, 5, TwoBrokers.REPLICAS, TwoBrokers.REPLICAS));
    leader.answer();
    assertThat(leader.named()).containsExactly(0);
    assertThat(leader.last().topics().get(0).partitions().get(0).currentLeaderEpoch()).isEqualTo(3);
  }

  @Test
  void afterTheStopNothingIsFetchedAndNoAnswerCounts() throws Exception {
    start(1);
    produce(0, "a");
    fetcher.stop();
    leader.answer();
    assertThat(end(0)).isZero();
    timers.advanceMs(SETTINGS.timeoutMs());
    assertThat(leader.fetches).isEmpty();
  }
}
