package dev.tidemark.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.replica.CommittedPartition;
import dev.tidemark.sim.VirtualTimers;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What followers ask for when their quota is used up (KIP-73). */
class ThrottledFollowerTest {
  private static final List<Integer> LEADER_ONLY = List.of(1);
  private static final long BACKOFF_MS = 10_000;

  /** One batch of the tests for each partition and fetch. */
  private static final FetcherSettings SETTINGS =
      new FetcherSettings(500, 1, 10 << 20, 2_000, BACKOFF_MS, 30_000);

  private final TwoBrokers brokers = new TwoBrokers();
  private final FakeLeader leader = new FakeLeader(TwoBrokers.TOPIC_ID, brokers.leaders);
  private final VirtualTimers timers = brokers.timers;
  private FollowerFetcher fetcher;

  private void start(int partitions) throws Exception {
    fetcher = newFetcher(leader);
    for (int i = 0; i < partitions; i++) {
      add();
    }
    for (int i = 0; i < 3; i++) {
      leader.answer();
    }
    brokers.fetchThrottle.bytesPerSecond(1_000);
  }

  private FollowerFetcher newFetcher(FakeLeader from) {
    return new FollowerFetcher(1, SETTINGS, from, brokers.followerThrottle(), brokers.context(2));
  }

  private void add() throws IOException {
    var follower = brokers.addPartition();
    brokers.commitIsr(brokers.followers.size() - 1, LEADER_ONLY);
    fetcher.add(follower);
  }

  private void throttle(String list) {
    brokers.fetchThrottle.replicas("events", ThrottledReplicas.parse(list, 2));
  }

  /** The follower gets the first of two batches, and its quota is used up for 3 s. */
  private void useUp(int partition) throws Exception {
    brokers.produce(partition, "x".repeat(3_000));
    brokers.produce(partition, "rest");
    leader.answer();
    assertThat(brokers.end(partition)).isEqualTo(1);
  }

  @Test
  void whoIsBehindIsLeftOutAndTheOthersAreFetchedFor() throws Exception {
    start(2);
    throttle("0:2");
    useUp(0);
    assertThat(leader.forgotten()).containsExactly(0);
    brokers.produce(1, "a");
    leader.answer();
    assertThat(brokers.end(1)).isEqualTo(1);
    assertThat(leader.named()).containsExactly(1);
  }

  @Test
  void theFetchesGoOnWhenTheQuotaIsFree() throws Exception {
    start(1);
    throttle("*");
    useUp(0);
    assertThat(leader.fetches).isEmpty();
    long takesMs = brokers.followers.get(0).log().sizeInBytes();
    timers.advanceMs(takesMs - 1);
    assertThat(leader.fetches).isEmpty();
    timers.advanceMs(1);
    assertThat(leader.named()).containsExactly(0);
    leader.answer();
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void whoIsInTheIsrIsNeverLeftOut() throws Exception {
    start(1);
    throttle("*");
    brokers.commitIsr(0, TwoBrokers.REPLICAS);
    useUp(0);
    leader.answer();
    assertThat(brokers.end(0)).isEqualTo(2);
  }

  @Test
  void whoHasAllThatTheLeaderHadTellsSo() throws Exception {
    start(1);
    throttle("*");
    brokers.produce(0, "x".repeat(3_000));
    leader.answer();
    assertThat(leader.named()).containsExactly(0);
    leader.answer();
    assertThat(brokers.leaders.get(0).followerEndOffset(2)).isEqualTo(1);
  }

  @Test
  void whoIsNotListedNeitherWaitsNorCounts() throws Exception {
    start(2);
    throttle("0:1,1:2");
    useUp(0);
    leader.answer();
    assertThat(brokers.end(0)).isEqualTo(2);
    useUp(1);
    assertThat(leader.forgotten()).containsExactly(1);
  }

  @Test
  void aNewFollowerWaitsUntilTheQuotaIsFree() throws Exception {
    start(2);
    throttle("0:2,2:2");
    useUp(0);
    add();
    leader.answer();
    assertThat(leader.named()).isEmpty();
    timers.advanceMs(BACKOFF_MS);
    leader.answer();
    assertThat(leader.named()).containsExactlyInAnyOrder(0, 2);
  }

  @Test
  void theQuotaIsOneForAllLeaders() throws Exception {
    start(1);
    throttle("*");
    FakeLeader other = new FakeLeader(TwoBrokers.TOPIC_ID, brokers.leaders);
    var second = brokers.addPartition();
    brokers.commitIsr(1, LEADER_ONLY);
    newFetcher(other).add(second);
    brokers.produce(1, "x".repeat(3_000));
    brokers.produce(1, "y".repeat(3_000));
    useUp(0);
    other.answer(); // was asked before
    assertThat(brokers.end(1)).isEqualTo(1);
    assertThat(other.fetches).isEmpty();
  }

  @Test
  void aBoundThatIsLiftedIsNoticedAfterThePause() throws Exception {
    start(1);
    throttle("*");
    brokers.fetchThrottle.bytesPerSecond(1);
    useUp(0);
    brokers.fetchThrottle.bytesPerSecond(Long.MAX_VALUE);
    timers.advanceMs(BACKOFF_MS - 1);
    assertThat(leader.fetches).isEmpty();
    timers.advanceMs(1);
    assertThat(leader.named()).containsExactly(0);
  }

  @Test
  void aNewEpochBringsNobodyBackBeforeTime() throws Exception {
    start(1);
    throttle("*");
    useUp(0);
    brokers
        .leaders
        .get(0)
        .onCommitted(new CommittedPartition(1, 3, 5, TwoBrokers.REPLICAS, LEADER_ONLY));
    brokers.followers.get(0).onLeader(1, 3);
    assertThat(leader.fetches).isEmpty();
    timers.advanceMs(BACKOFF_MS);
    assertThat(leader.named()).containsExactly(0);
  }

  @Test
  void whoIsTakenAwayMeanwhileDoesNotComeBack() throws Exception {
    start(1);
    throttle("*");
    useUp(0);
    fetcher.remove(brokers.followers.get(0));
    timers.advanceMs(20_000);
    assertThat(leader.fetches).isEmpty();
  }

  @Test
  void afterTheStopNothingIsFetched() throws Exception {
    start(1);
    throttle("*");
    useUp(0);
    fetcher.stop();
    timers.advanceMs(20_000);
    assertThat(leader.fetches).isEmpty();
  }
}
