package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.control.GrantedLease;
import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.metadata.FakeShard;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.junit.jupiter.api.Test;

/** What requests and their answers meet when the leader's lease lapses. */
class ServingLeaseTest {
  private static final long SESSION_MS = 9_000;
  private static final long MARGIN_MS = 1_000;

  private final FakeShard shard = new FakeShard();
  private final GrantedLease granted = new GrantedLease(shard.clock(), SESSION_MS);
  private final ServingLease lease = new ServingLease(granted.lease(), 1, shard, shard);
  private final Deque<Request> handled = new ArrayDeque<>();
  private final HandlerRegistry registry = new HandlerRegistry();
  private final FakeConnection peer = new FakeConnection();
  private final ClientConnection connection =
      new ClientConnection(
          peer, registry, new RequestMetrics(shard.clock()), new ClientMistakes(shard, shard));

  ServingLeaseTest() {
    new LeasedRegistry(registry, lease)
        .leaderTells(ApiKeys.LIST_OFFSETS, handled::add)
        .coordinatorTells(ApiKeys.HEARTBEAT, handled::add)
        .coordinatorCommits(ApiKeys.OFFSET_COMMIT, handled::add);
  }

  private void receive(AbstractRequest request, int correlationId) {
    connection.onFrame(peer, peer.frame(request, correlationId));
  }

  private static AbstractRequest listOffsets() {
    return ListOffsetsRequest.Builder.forConsumer(false, IsolationLevel.READ_UNCOMMITTED).build();
  }

  private static AbstractRequest heartbeat() {
    return new HeartbeatRequest.Builder(new HeartbeatRequestData().setGroupId("g")).build();
  }

  private static AbstractRequest offsetCommit() {
    return OffsetCommitRequest.Builder.forTopicNames(new OffsetCommitRequestData().setGroupId("g"))
        .build();
  }

  @Test
  void aRequestThatMeetsALapsedLeaseIsHandledOnceItIsRenewed() {
    receive(listOffsets(), 1);
    shard.advance(MARGIN_MS - 1);
    assertThat(handled).isEmpty();

    granted.renew();
    assertThat(handled).hasSize(1);
    assertThat(lease.waiting()).isZero();
    assertThat(peer.framesInUse).isZero();
    handled.remove().answer(new ListOffsetsResponseData());
    assertThat(peer.answered()).containsExactly(1);
  }

  @Test
  void withoutARenewalTheHandlerRefusesWhatIsNotLedHereAfterTheMargin() {
    receive(listOffsets(), 1);
    shard.advance(MARGIN_MS);
    assertThat(handled).hasSize(1);
    assertThat(peer.framesInUse).isZero();
    handled.remove().answer(new ListOffsetsResponseData());
    assertThat(peer.answered()).as("a refusal leaves without a lease").containsExactly(1);
  }

  @Test
  void withoutARenewalAGroupsMemberIsToldToLookForTheCoordinator() {
    receive(heartbeat(), 1);
    shard.advance(MARGIN_MS);
    assertThat(handled).isEmpty();
    assertThat(peer.answered()).containsExactly(1);
    assertThat(peer.closed).isFalse();
  }

  @Test
  void whatComesBehindAWaitingRequestWaitsToo() {
    receive(listOffsets(), 1);
    receive(offsetCommit(), 2);
    granted.renew();
    assertThat(handled).hasSize(1);
    handled.remove().answer(new ListOffsetsResponseData());
    assertThat(handled).hasSize(1);
    handled.remove().answer(new OffsetCommitResponseData());
    assertThat(peer.answered()).containsExactly(1, 2);
  }

  @Test
  void anAnswerThatTellsHowThingsStandDoesNotLeaveAfterTheLease() {
    granted.renew();
    receive(heartbeat(), 1);
    shard.advance(SESSION_MS - MARGIN_MS); // the process stood still
    handled.remove().answer(new HeartbeatResponseData());
    assertThat(peer.answered()).isEmpty();
    assertThat(peer.closed).isTrue();
  }

  @Test
  void anAnswerThatRestsOnTheInSyncReplicasLeavesWhateverTheLease() {
    granted.renew();
    receive(offsetCommit(), 1);
    granted.lose();
    handled.remove().answer(new OffsetCommitResponseData());
    assertThat(peer.answered()).containsExactly(1);
    assertThat(peer.closed).isFalse();
  }

  @Test
  void aClientThatIsGoneIsNotWaitedFor() {
    receive(listOffsets(), 1);
    connection.onClosed(peer);
    granted.renew();
    assertThat(handled).isEmpty();
    assertThat(lease.waiting()).isZero();
    assertThat(peer.framesInUse).isZero();
  }
}
