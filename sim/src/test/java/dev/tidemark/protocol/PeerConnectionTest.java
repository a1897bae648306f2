package dev.tidemark.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import dev.tidemark.protocol.PeerConnection.Failure;
import dev.tidemark.sim.Scheduler;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.Trace;
import dev.tidemark.sim.VirtualDialer;
import dev.tidemark.sim.VirtualNetwork;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;

class PeerConnectionTest {
  private static final int PORT = 9093;
  private static final short VERSION = 3;

  private final Scheduler scheduler = new Scheduler(new Trace(null));
  private final VirtualNetwork network = new VirtualNetwork(scheduler, 1);
  private final SimNode near = new SimNode("near", network, 1, 0, 0);
  private final SimNode far = new SimNode("far", network, 1, 0, 0);
  private final SimShard shard = near.newShard("control");
  private final PeerConnection peer =
      new PeerConnection(new VirtualDialer(shard), shard.timers(), "node-1", "far", PORT);
  private final List<String> ends = new ArrayList<>();
  private final Server server = new Server();

  /** Answers each request with its key, unless it is told otherwise. */
  private static final class Server implements Connection.Listener {
    private final List<String> asked = new ArrayList<>();
    private int connections;
    private int answersToSkip;
    private boolean garbled;

    Connection.Listener accept(Connection unused) {
      connections++;
      return this;
    }

    @Override
    public void onFrame(Connection from, InboundFrame frame) {
      ReceivedRequest request = ReceivedRequest.parse(frame.buffer());
      frame.release();
      FindCoordinatorRequestData data = (FindCoordinatorRequestData) request.body().data();
      asked.add(data.key());
      if (answersToSkip > 0) {
        answersToSkip--;
        return;
      }
      if (garbled) {
        ByteBuffer bytes = ByteBuffer.allocate(9).putInt(5).putInt(0).put((byte) 7).flip();
        from.send(OutboundFrame.of(List.of(new OutboundFrame.Bytes(bytes))));
        return;
      }
      from.send(
          ResponseEncoder.encode(
              ApiKeys.FIND_COORDINATOR,
              VERSION,
              request.header().correlationId(),
              new FindCoordinatorResponseData().setHost(data.key())));
    }

    @Override
    public void onDrained(Connection connection) {}

    @Override
    public void onClosed(Connection connection) {}
  }

  private void listen() {
    network.listen(far.newShard("control"), PORT, "CONTROLLER", server::accept);
  }

  private void ask(String key) {
    shard.execute(
        () ->
            peer.send(
                ApiKeys.FIND_COORDINATOR,
                VERSION,
                new FindCoordinatorRequestData().setKey(key),
                1_000,
                new PeerConnection.Answer() {
                  @Override
                  public void onResponse(ApiMessage response) {
                    ends.add(((FindCoordinatorResponseData) response).host());
                  }

                  @Override
                  public void onFailed(Failure failure) {
                    ends.add(key + " " + failure);
                  }
                }));
  }

  @Test
  void requestsAreAnsweredOverOneConnectionInTheirOrder() {
    listen();
    for (int i = 0; i < 20; i++) {
      ask("k" + i);
    }
    scheduler.runForMs(100);
    assertThat(ends).hasSize(20).isEqualTo(server.asked).startsWith("k0", "k1");
    assertThat(server.connections).isEqualTo(1);
    assertThat(peer.unanswered()).isZero();
  }

  @Test
  void aRefusedCallFailsAtOnceAndTheNextRequestCallsAgain() {
    ask("a");
    scheduler.runForMs(100);
    assertThat(ends).containsExactly("a REFUSED");
    listen();
    ask("b");
    scheduler.runForMs(100);
    assertThat(ends).endsWith("b");
  }

  @Test
  void aHostWithoutPowerIsUnreachable() {
    far.powerLoss();
    ask("a");
    scheduler.runForMs(2_000);
    assertThat(ends).hasSize(1);
    assertThat(ends.get(0)).isIn("a UNREACHABLE", "a TIMED_OUT");
    listen();
    ask("b");
    scheduler.runForMs(100);
    assertThat(ends).endsWith("b");
  }

  @Test
  void aLateAnswerEndsTheConnectionAndFailsAllBehindIt() {
    listen();
    server.answersToSkip = 1;
    ask("a");
    scheduler.runForMs(500);
    ask("b");
    scheduler.runForMs(300);
    assertThat(ends).as("answers come in order, and b's is no answer to a").hasSizeLessThan(3);
    scheduler.runForMs(2_000);
    assertThat(ends).allMatch(end -> end.startsWith("a ") || end.startsWith("b "));
    assertThat(ends).hasSize(2);
    ask("c");
    scheduler.runForMs(100);
    assertThat(ends).endsWith("c");
    assertThat(server.connections).isEqualTo(2);
  }

  @Test
  void aCutLinkTimesOutAndWhatComesLateIsIgnored() {
    listen();
    ask("a");
    scheduler.runForMs(100);
    network.cut("near", "far");
    ask("b");
    scheduler.runForMs(2_000);
    assertThat(ends).containsExactly("a", "b TIMED_OUT");
    network.heal();
    scheduler.runForMs(100);
    ask("c");
    scheduler.runForMs(100);
    assertThat(ends).containsExactly("a", "b TIMED_OUT", "c");
  }

  @Test
  void whatIsUnderWayFailsWhenThePeerDies() {
    listen();
    server.answersToSkip = 2;
    ask("a");
    ask("b");
    scheduler.runForMs(100);
    far.kill();
    scheduler.runForMs(100);
    assertThat(ends).containsExactly("a DISCONNECTED", "b DISCONNECTED");
  }

  @Test
  void whatIsNoAnswerEndsTheConnection() {
    listen();
    server.garbled = true;
    ask("a");
    scheduler.runForMs(100);
    assertThat(ends).containsExactly("a UNREADABLE");
    server.garbled = false;
    ask("b");
    scheduler.runForMs(100);
    assertThat(ends).endsWith("b");
  }

  @Test
  void afterACloseNothingIsHeard() {
    listen();
    ask("a");
    shard.execute(peer::close);
    scheduler.runForMs(5_000);
    assertThat(ends).isEmpty();
    assertThat(network.openEnds()).isZero();
  }
}
