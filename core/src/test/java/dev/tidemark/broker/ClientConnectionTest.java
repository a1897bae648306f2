package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.broker.metrics.RequestMetrics;
import dev.tidemark.metadata.FakeShard;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.DescribeUserScramCredentialsRequest;
import org.apache.kafka.common.requests.ListGroupsRequest;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.junit.jupiter.api.Test;

class ClientConnectionTest {
  private final Deque<Request> produces = new ArrayDeque<>();
  private final Deque<Request> metadatas = new ArrayDeque<>();
  private final HandlerRegistry handlers =
      new HandlerRegistry()
          .add(ApiKeys.PRODUCE, this::onProduce)
          .add(ApiKeys.METADATA, metadatas::add)
          .add(ApiKeys.API_VERSIONS, request -> request.answer(new ApiVersionsResponseData()));
  private boolean slow;
  private final FakeShard shard = new FakeShard();
  private final ClientMistakes mistakes = new ClientMistakes(shard, shard);
  private final FakeConnection peer = new FakeConnection();
  private final ClientConnection connection =
      new ClientConnection(peer, handlers, new RequestMetrics(shard.clock()), mistakes);

  private void onProduce(Request request) {
    produces.add(request);
    if (slow) {
      request.takesLonger();
    }
  }

  private void receive(AbstractRequest request, int correlationId) {
    connection.onFrame(peer, peer.frame(request, correlationId));
  }

  private static AbstractRequest produce() {
    return new ProduceRequest(
        new ProduceRequestData().setAcks((short) -1), ApiKeys.PRODUCE.latestVersion());
  }

  private static AbstractRequest metadata() {
    return new MetadataRequest(new MetadataRequestData(), ApiKeys.METADATA.latestVersion());
  }

  private static AbstractRequest apiVersions() {
    return new ApiVersionsRequest(
        new ApiVersionsRequestData().setClientSoftwareName("test").setClientSoftwareVersion("1"),
        ApiKeys.API_VERSIONS.latestVersion());
  }

  @Test
  void producesStartAtOnceAndAreAnsweredInTheirOrder() {
    receive(produce(), 1);
    receive(produce(), 2);
    receive(produce(), 3);
    assertThat(produces).hasSize(3);

    Request first = produces.remove();
    produces.remove().answer(new ProduceResponseData());
    assertThat(peer.answered()).isEmpty();
    first.answer(new ProduceResponseData());
    assertThat(peer.answered()).containsExactly(1, 2);
    produces.remove().answer(new ProduceResponseData());
    assertThat(peer.answered()).containsExactly(1, 2, 3);
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void anotherRequestWaitsUntilTheOneBeforeIsAnswered() {
    receive(produce(), 1);
    receive(metadata(), 2);
    receive(produce(), 3);
    assertThat(metadatas).isEmpty();

    produces.remove().answer(new ProduceResponseData());
    assertThat(metadatas).hasSize(1);
    assertThat(produces).isEmpty();
    metadatas.remove().answer(new MetadataResponseData());
    assertThat(produces).hasSize(1);
    produces.remove().answer(new ProduceResponseData());
    assertThat(peer.answered()).containsExactly(1, 2, 3);
  }

  @Test
  void aPeerThatSendsFarAheadIsNotReadFromUntilItsFramesAreTaken() {
    receive(metadata(), 0);
    for (int i = 1; i <= 8; i++) {
      receive(apiVersions(), i);
    }
    assertThat(peer.paused).isTrue();
    metadatas.remove().answer(new MetadataResponseData());
    assertThat(peer.paused).isFalse();
    assertThat(peer.answered()).isEqualTo(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8));
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void whatIsAnsweredAfterTheEndIsDropped() {
    receive(produce(), 1);
    receive(metadata(), 2);
    connection.onClosed(peer);
    produces.remove().answer(new ProduceResponseData());
    assertThat(peer.sent).isEmpty();
    assertThat(metadatas).isEmpty();
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void aWaitingRequestHearsThatItsClientIsGone() {
    receive(metadata(), 1);
    boolean[] abandoned = {false};
    metadatas.remove().whenAbandoned(() -> abandoned[0] = true);
    connection.onClosed(peer);
    assertThat(abandoned[0]).isTrue();
  }

  @Test
  void aProduceThatTakesLongerKeepsItsFrameAndHoldsBackThoseBehindIt() {
    slow = true;
    receive(produce(), 1);
    slow = false;
    receive(produce(), 2);
    assertThat(produces).hasSize(1);
    assertThat(peer.framesInUse).isEqualTo(2);

    produces.getFirst().tookIn();
    assertThat(produces).hasSize(2);
    assertThat(peer.framesInUse).isZero();
    produces.remove().answer(new ProduceResponseData());
    produces.remove().answer(new ProduceResponseData());
    assertThat(peer.answered()).containsExactly(1, 2);
  }

  @Test
  void theFrameOfAProduceThatTakesLongerStaysUntilItIsInAlsoWhenTheClientIsGone() {
    slow = true;
    receive(produce(), 1);
    connection.onClosed(peer);
    assertThat(produces.getFirst().isAbandoned()).isTrue();
    assertThat(peer.framesInUse).isEqualTo(1);
    produces.remove().tookIn();
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void whatFailsLaterIsTheFailureOfItsRequestAndThoseBehindItGoOn() {
    slow = true;
    receive(produce(), 1);
    receive(metadata(), 2);
    Request failing = produces.remove();
    failing.goOn(
        () -> {
          throw new IllegalStateException("for this test");
        });
    assertThat(peer.answered()).containsExactly(1);
    assertThat(metadatas).hasSize(1);
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void bytesThatAreNoRequestCloseTheConnection() {
    connection.onFrame(peer, peer.frame(ByteBuffer.wrap(new byte[] {0x7f, 0x7f, 0, 0, 1, 2, 3})));
    assertThat(peer.closed).isTrue();
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void aTruncatedBodyClosesTheConnection() {
    ByteBuffer whole = peer.frame(metadata(), 1).buffer();
    peer.framesInUse = 0;
    connection.onFrame(peer, peer.frame(whole.slice(0, whole.limit() - 2)));
    assertThat(peer.closed).isTrue();
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void anApiWithoutHandlerGetsItsErrorAnswer() {
    receive(
        new ListGroupsRequest(new ListGroupsRequestData(), ApiKeys.LIST_GROUPS.latestVersion()), 5);
    assertThat(peer.answered()).containsExactly(5);
    assertThat(peer.closed).isFalse();
  }

  /** Kafka's error answer of this API goes through a list that a client may leave out. */
  @Test
  void aRequestForWhichThereIsNotEvenAnErrorAnswerEndsItsConnection() {
    receive(
        new DescribeUserScramCredentialsRequest.Builder(
                new DescribeUserScramCredentialsRequestData().setUsers(null))
            .build(),
        5);
    assertThat(peer.answered()).isEmpty();
    assertThat(peer.closed).isTrue();
    assertThat(peer.framesInUse).isZero();
  }

  @Test
  void aHandlerThatFailsBecomesAnErrorAnswer() {
    HandlerRegistry failing =
        new HandlerRegistry()
            .add(
                ApiKeys.METADATA,
                request -> {
                  throw new IllegalStateException("broken on purpose");
                });
    ClientConnection broken =
        new ClientConnection(peer, failing, new RequestMetrics(shard.clock()), mistakes);
    broken.onFrame(peer, peer.frame(metadata(), 9));
    assertThat(peer.answered()).containsExactly(9);
    assertThat(peer.closed).isFalse();
  }

  @Test
  void apiVersionsOfAnUnknownVersionIsAnsweredInVersionZero() {
    ByteBuffer frame = peer.frame(apiVersions(), 7).buffer();
    peer.framesInUse = 0;
    frame.putShort(2, (short) 99);
    connection.onFrame(peer, peer.frame(frame));
    assertThat(peer.answered()).containsExactly(7);
  }
}
