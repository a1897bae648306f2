package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.NotControllerException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The metadata log on several nodes, in virtual time. */
class QuorumTest {
  private final List<String> topics = new ArrayList<>();

  private void appendSome(QuorumCluster cluster, QuorumMember on, int count) {
    for (int i = 0; i < count; i++) {
      String topic = "t" + topics.size();
      assertThat(cluster.append(on, topic, 5_000)).as(topic).isTrue();
      topics.add(topic);
    }
  }

  @Test
  void threeVotersElectOneOfThemAndAllAreToldWhatItAppends() throws IOException {
    QuorumCluster cluster = new QuorumCluster(1, 3, 0);
    cluster.startAll();
    QuorumMember leader = cluster.awaitActive();
    appendSome(cluster, leader, 10);
    assertThat(cluster.awaitTopics(topics)).isTrue();
    assertThat(cluster.members.stream().filter(QuorumMember::isActive)).containsExactly(leader);
    for (QuorumMember member : cluster.members) {
      Leadership last = member.heard().get(member.heard().size() - 1);
      assertThat(last.leaderId()).isEqualTo(leader.id());
      assertThat(last.isActive()).isEqualTo(member.id() == leader.id());
      assertThat(member.log().state().leaderId()).isEqualTo(leader.id());
    }
  }

  @Test
  void observersAreToldTooAndDoNotLead() throws IOException {
    QuorumCluster cluster = new QuorumCluster(2, 3, 2);
    cluster.startAll();
    QuorumMember leader = cluster.awaitActive();
    assertThat(leader.id()).isBetween(1, 3);
    appendSome(cluster, leader, 10);
    assertThat(cluster.awaitTopics(topics)).isTrue();
    assertThat(cluster.member(4).heard()).last().returns(leader.id(), Leadership::leaderId);
  }

  @Test
  void whoIsNotActiveRefusesAnAppend() throws IOException {
    QuorumCluster cluster = new QuorumCluster(3, 3, 0);
    cluster.startAll();
    QuorumMember leader = cluster.awaitActive();
    QuorumMember other = cluster.member(leader.id() % 3 + 1);
    Throwable[] failure = {null};
    other.append("t", failingInto(failure));
    cluster.scheduler.runForMs(10);
    assertThat(failure[0])
        .isInstanceOf(NotControllerException.class)
        .hasMessageContaining("node " + leader.id());
  }

  private static MetadataLog.Completion failingInto(@Nullable Throwable[] failure) {
    return new MetadataLog.Completion() {
      @Override
      public void onCommitted(long lastOffset) {
        throw new AssertionError("committed at " + lastOffset);
      }

      @Override
      public void onFailed(Throwable cause) {
        failure[0] = cause;
      }
    };
  }

  @Test
  void anotherVoterTakesOverFromAKilledLeaderAndNothingCommittedIsLost() throws IOException {
    QuorumCluster cluster = new QuorumCluster(4, 3, 1);
    cluster.startAll();
    QuorumMember first = cluster.awaitActive();
    appendSome(cluster, first, 10);
    first.kill();
    QuorumMember second = cluster.awaitActiveOtherThan(first.id());
    assertThat(second.topics()).isEqualTo(topics);
    appendSome(cluster, second, 10);
    first.start();
    assertThat(cluster.awaitTopics(topics)).isTrue();
  }

  @Test
  void afterALossOfPowerOfTheLeaderAnotherTakesOverWithinAFewSeconds() throws IOException {
    QuorumCluster cluster = new QuorumCluster(5, 3, 0);
    cluster.startAll();
    QuorumMember first = cluster.awaitActive();
    appendSome(cluster, first, 10);
    long fromNs = cluster.scheduler.nowNs();
    first.powerLoss();
    QuorumMember second = cluster.awaitActiveOtherThan(first.id());
    assertThat(cluster.scheduler.nowNs() - fromNs).isLessThan(3_000_000_000L);
    appendSome(cluster, second, 10);
    first.start();
    assertThat(cluster.awaitTopics(topics)).isTrue();
  }

  @Test
  void aLeaderThatIsCutOffCommitsNothingAndLearnsOfTheOtherOneWhenItIsBack() throws IOException {
    QuorumCluster cluster = new QuorumCluster(6, 3, 0);
    cluster.startAll();
    QuorumMember first = cluster.awaitActive();
    appendSome(cluster, first, 5);
    for (QuorumMember member : cluster.members) {
      if (member != first) {
        cluster.network.cut(first.host(), member.host());
      }
    }
    Throwable[] failure = {null};
    first.append("lost", failingInto(failure));
    QuorumMember second = cluster.awaitActiveOtherThan(first.id());
    appendSome(cluster, second, 5);
    assertThat(cluster.scheduler.runUntil(() -> failure[0] != null, 10_000)).isTrue();
    assertThat(failure[0]).isInstanceOf(NotControllerException.class);
    cluster.network.heal();
    assertThat(cluster.awaitTopics(topics)).isTrue();
    assertThat(first.isActive()).isFalse();
  }

  @Test
  void aLeaderThatResignsIsFollowedWithoutAWait() throws IOException {
    QuorumCluster cluster = new QuorumCluster(7, 3, 0);
    cluster.startAll();
    QuorumMember first = cluster.awaitActive();
    appendSome(cluster, first, 5);
    long fromNs = cluster.scheduler.nowNs();
    first.run(() -> first.log().resign());
    QuorumMember second = cluster.awaitActiveOtherThan(first.id());
    assertThat(cluster.scheduler.nowNs() - fromNs).isLessThan(300_000_000L);
    appendSome(cluster, second, 5);
    assertThat(cluster.awaitTopics(topics)).isTrue();
  }

  @Test
  void allVotersComeBackAfterALossOfPowerOfAll() throws IOException {
    QuorumCluster cluster = new QuorumCluster(8, 3, 1);
    cluster.startAll();
    appendSome(cluster, cluster.awaitActive(), 10);
    cluster.members.forEach(QuorumMember::powerLoss);
    cluster.startAll();
    appendSome(cluster, cluster.awaitActive(), 10);
    assertThat(cluster.awaitTopics(topics)).isTrue();
  }

  @Test
  void aNodeThatWasAwayForLongCatchesUpByASnapshot() throws IOException {
    QuorumCluster cluster = new QuorumCluster(9, 3, 1, new SnapshotSettings(2_000, 0), null);
    cluster.startAll();
    QuorumMember leader = cluster.awaitActive();
    appendSome(cluster, leader, 5);
    QuorumMember follower = cluster.member(leader.id() % 3 + 1);
    QuorumMember observer = cluster.member(4);
    follower.kill();
    observer.kill();
    for (int i = 0; i < 6; i++) {
      appendSome(cluster, leader, 40);
      cluster.scheduler.runForMs(11_000);
    }
    assertThat(leader.snapshotsTaken()).isGreaterThan(2);
    int heardBefore = follower.snapshotsHeard();
    follower.start();
    observer.start();
    assertThat(cluster.awaitTopics(topics)).isTrue();
    assertThat(follower.snapshotsHeard()).isGreaterThan(heardBefore);
    assertThat(observer.snapshotsHeard()).isPositive();
    follower.kill();
    follower.start();
    assertThat(cluster.awaitTopics(topics)).isTrue();
    leader.kill();
    appendSome(cluster, cluster.awaitActiveOtherThan(leader.id()), 5);
    assertThat(cluster.awaitTopics(topics)).isTrue();
  }

  @Test
  void nodesWithoutALeaderAskForOneNowAndThenOnly() throws IOException {
    QuorumCluster cluster = new QuorumCluster(10, 3, 2);
    cluster.member(1).start();
    cluster.member(4).start();
    cluster.member(5).start();
    cluster.scheduler.runForMs(1_000);
    long before = cluster.scheduler.trace().events();
    cluster.scheduler.runForMs(1_000);
    assertThat(cluster.scheduler.trace().events() - before).isLessThan(5_000);
    assertThat(cluster.active()).isNull();
  }

  @Test
  void observersFollowALoneVoter() throws IOException {
    QuorumCluster cluster = new QuorumCluster(11, 1, 2);
    cluster.startAll();
    QuorumMember leader = cluster.awaitActive();
    appendSome(cluster, leader, 10);
    assertThat(cluster.awaitTopics(topics)).isTrue();
    leader.powerLoss();
    leader.start();
    cluster.scheduler.runForMs(1_000);
    appendSome(cluster, cluster.awaitActive(), 10);
    assertThat(cluster.awaitTopics(topics)).isTrue();
  }

  @Test
  void fiveVotersGoOnWithoutTwo() throws IOException {
    QuorumCluster cluster = new QuorumCluster(12, 5, 0);
    cluster.startAll();
    QuorumMember first = cluster.awaitActive();
    appendSome(cluster, first, 5);
    first.kill();
    QuorumMember second = cluster.awaitActiveOtherThan(first.id());
    second.powerLoss();
    cluster.scheduler.runForMs(1);
    QuorumMember third = cluster.awaitActiveOtherThan(second.id());
    appendSome(cluster, third, 5);
    first.start();
    second.start();
    assertThat(cluster.awaitTopics(topics)).isTrue();
  }
}
