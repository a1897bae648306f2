package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.AppendOrigin;
import dev.tidemark.log.Batches;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.BrokerRegistry;
import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.replica.HeldBackground;
import dev.tidemark.replica.LagRule;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.ReplicaContext;
import dev.tidemark.replica.StoredRecord;
import dev.tidemark.sim.VirtualClock;
import dev.tidemark.sim.VirtualDisk;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class FollowerFetcherTest {
  private static final Uuid TOPIC_ID = new Uuid(3, 9);
  private static final List<Integer> REPLICAS = List.of(1, 2);
  private static final FetcherSettings SETTINGS = FetcherSettings.defaults();

  private final VirtualClock clock = new VirtualClock(1_700_000_000_000L);
  private final VirtualTimers timers = new VirtualTimers(clock);
  private final HeldBackground background = new HeldBackground();
  private final FakeLeader leader = new FakeLeader(TOPIC_ID);
  private final List<PartitionFollower> followers = new ArrayList<>();
  private final VirtualDisk leaderDisk = new VirtualDisk(1);
  private final VirtualDisk followerDisk = new VirtualDisk(2);
  private LogSettings settings = LogSettings.defaults();
  private FollowerFetcher fetcher;

  private ReplicaContext context(int brokerId) {
    BrokerRegistry brokers =
        new BrokerRegistry() {
          @Override
          public boolean isEligible(int broker, long epoch) {
            return true;
          }

          @Override
          public long ownEpoch() {
            return 10L + brokerId;
          }
        };
    return new ReplicaContext(
        brokerId,
        background,
        timers,
        clock,
        (proposal, reply) -> {},
        brokers,
        log -> {},
        LagRule.defaults(),
        1 << 20);
  }

  private PartitionLog open(VirtualDisk disk, int partition, LogSettings ofLog) throws IOException {
    LogId id = new LogId("events", partition, TOPIC_ID);
    return PartitionLog.open(
        id, disk.root().directory(id.folderName()), ofLog, LogOpening.unknown(), clock);
  }

  private void start(int partitions) throws IOException {
    fetcher = new FollowerFetcher(1, SETTINGS, leader, context(2));
    for (int i = 0; i < partitions; i++) {
      addPartition(i);
    }
  }

  private void addPartition(int partition) throws IOException {
    CommittedPartition committed = new CommittedPartition(1, 0, 0, REPLICAS, REPLICAS);
    PartitionLog log = open(leaderDisk, partition, LogSettings.defaults());
    leader.leaders.put(partition, new PartitionLeader(log, committed, 0, 1, null, context(1)));
    PartitionFollower follower =
        new PartitionFollower(open(followerDisk, partition, settings), 1, 0, 0, context(2));
    followers.add(follower);
    fetcher.add(follower);
  }

  private void produce(int partition, String... values) throws Exception {
    leader
        .leaders
        .get(partition)
        .append(Batches.plain(clock.wallMs(), values), AppendOrigin.CLIENT);
  }

  private long end(int partition) {
    return followers.get(partition).log().logEndOffset();
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
    assertThat(leader.leaders.get(7).highWatermark()).isEqualTo(1);
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
          .isEqualTo(StoredRecord.bytes(leader.leaders.get(i).log(), 10));
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
    leader.leaders.get(0).stop(); // NOT_LEADER_OR_FOLLOWER
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
    leader.leaders.get(0).log().truncateFullyAndStartAt(4);
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
    leader.leaders.get(0).log().truncateFullyAndStartAt(4);
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
    settings = LogSettings.defaults().withFlushMessages(1);
    start(2);
    answerAll(2);
    produce(0, "a");
    leader.answer();
    assertThat(end(0)).isEqualTo(1);
    assertThat(leader.fetches).isEmpty();
    background.runNext();
    assertThat(leader.fetches).hasSize(1);
    assertThat(leader.named()).containsExactly(0);
    assertThat(leader.last().topics().get(0).partitions().get(0).fetchOffset()).isEqualTo(1);
  }

  @Test
  void aNewEpochIsToldToTheLeader() throws Exception {
    start(1);
    answerAll(2);
    followers.get(0).onLeader(1, 3);
    leader.leaders.get(0).onCommitted(new CommittedPartition(1, 3, 5, REPLICAS, REPLICAS));
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
