package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
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

  /** The error code of the answer, once it has come. */
  private static short ask(QuorumCluster cluster, QuorumMember whom, int version, ApiMessage what) {
    Short[] error = {null};
    whom.run(
        () ->
            whom.log()
                .handle(
                    (short) version,
                    what,
                    answer ->
                        error[0] =
                            answer instanceof AddRaftVoterResponseData added
                                ? added.errorCode()
                                : ((RemoveRaftVoterResponseData) answer).errorCode()));
    assertThat(cluster.scheduler.runUntil(() -> error[0] != null, 10_000)).isTrue();
    return error[0];
  }

  private static AddRaftVoterRequestData addition(QuorumMember member) {
    AddRaftVoterRequestData request =
        new AddRaftVoterRequestData()
            .setClusterId("cluster")
            .setTimeoutMs(5_000)
            .setVoterId(member.id())
            .setVoterDirectoryId(QuorumMember.directoryId(member.id()))
            .setAckWhenCommitted(true);
    request
        .listeners()
        .add(
            new AddRaftVoterRequestData.Listener()
                .setName(QuorumMember.LISTENER)
                .setHost(member.host())
                .setPort(QuorumMember.PORT));
    return request;
  }

  @Test
  void anObserverIsMadeAVoterAndAVoterIsTakenOut() throws IOException {
    QuorumCluster cluster = new QuorumCluster(13, 1, 2);
    cluster.startAll();
    QuorumMember first = cluster.awaitActive();
    appendSome(cluster, first, 5);
    assertThat(cluster.awaitTopics(topics)).isTrue();
    for (int id : new int[] {2, 3}) {
      cluster.scheduler.runForMs(1_000); // who lags behind is refused
      assertThat(ask(cluster, first, 1, addition(cluster.member(id)))).isZero();
    }
    appendSome(cluster, first, 5);
    first.kill();
    QuorumMember second = cluster.awaitActiveOtherThan(first.id());
    appendSome(cluster, second, 5);

    RemoveRaftVoterRequestData removal =
        new RemoveRaftVoterRequestData()
            .setClusterId("cluster")
            .setVoterId(first.id())
            .setVoterDirectoryId(QuorumMember.directoryId(first.id()));
    assertThat(ask(cluster, second, 0, removal)).isZero();
    first.start();
    assertThat(cluster.awaitTopics(topics)).isTrue();
    second.powerLoss();
    cluster.scheduler.runForMs(5_000);
    assertThat(cluster.active()).as("one of two voters is no majority").isNull();
    second.start();
    appendSome(cluster, cluster.awaitActive(), 5);
    assertThat(cluster.awaitTopics(topics)).isTrue();
    assertThat(first.heard()).noneMatch(Leadership::isActive);
  }

  private static VoteRequestData candidacy(int candidateId, int epoch, QuorumMember voter) {
    VoteRequestData.PartitionData partition =
        new VoteRequestData.PartitionData()
            .setPartitionIndex(0)
            .setReplicaEpoch(epoch)
            .setReplicaId(candidateId)
            .setReplicaDirectoryId(QuorumMember.directoryId(candidateId))
            .setVoterDirectoryId(QuorumMember.directoryId(voter.id()))
            .setLastOffset(1_000)
            .setLastOffsetEpoch(epoch - 1);
    VoteRequestData request = new VoteRequestData().setClusterId("cluster").setVoterId(voter.id());
    request
        .topics()
        .add(
            new VoteRequestData.TopicData()
                .setTopicName(SingleVoterLog.LOG_ID.topic())
                .setPartitions(List.of(partition)));
    return request;
  }

  private static boolean grants(QuorumCluster cluster, QuorumMember voter, int candidateId) {
    Boolean[] granted = {null};
    voter.run(
        () ->
            voter
                .log()
                .handle(
                    (short) 2,
                    candidacy(candidateId, 50, voter),
                    answer ->
                        granted[0] =
                            ((VoteResponseData) answer)
                                .topics()
                                .get(0)
                                .partitions()
                                .get(0)
                                .voteGranted()));
    assertThat(cluster.scheduler.runUntil(() -> granted[0] != null, 1_000)).isTrue();
    return granted[0];
  }

  @Test
  void aVoteIsRememberedAfterALossOfPower() throws IOException {
    QuorumCluster cluster = new QuorumCluster(14, 3, 0);
    QuorumMember voter = cluster.member(1);
    voter.start();
    assertThat(grants(cluster, voter, 2)).isTrue();
    voter.powerLoss();
    voter.start();
    assertThat(grants(cluster, voter, 3)).as("a second vote in one epoch").isFalse();
    assertThat(grants(cluster, voter, 2)).as("the same vote again").isTrue();
  }
}
