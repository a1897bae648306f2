package dev.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.protocol.ReceivedRequest;
import dev.tidemark.protocol.ResponseEncoder;
import dev.tidemark.sim.Scheduler;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.Trace;
import dev.tidemark.sim.VirtualDialer;
import dev.tidemark.sim.VirtualNetwork;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.raft.RaftRequest;
import org.junit.jupiter.api.Test;

class RaftChannelTest {
  private final Scheduler scheduler = new Scheduler(new Trace(null));
  private final VirtualNetwork network = new VirtualNetwork(scheduler, 1);
  private final SimNode near = new SimNode("near", network, 1, 0, 0);
  private final SimNode far = new SimNode("far", network, 1, 0, 0);
  private final SimShard shard = near.newShard("control");
  private final RaftOutbox outbox = new RaftOutbox();
  private final List<String> heard = new ArrayList<>();
  private final RaftChannel channel =
      new RaftChannel(
          new VirtualDialer(shard),
          shard.timers(),
          outbox,
          () -> LeaderAndEpoch.UNKNOWN,
          new QuorumSettings(
              1,
              QuorumMember.directoryId(1),
              "cluster",
              QuorumMember.LISTENER,
              null,
              List.of(),
              true,
              QuorumTimeouts.DEFAULTS,
              SnapshotSettings.DEFAULTS));

  /** Lets fetches wait and answers votes. */
  private static final class Server implements Connection.Listener {
    private boolean waits;

    @Override
    public void onFrame(Connection from, InboundFrame frame) {
      ReceivedRequest request = ReceivedRequest.parse(frame.buffer());
      frame.release();
      waits |= request.header().apiKey() == ApiKeys.FETCH;
      if (!waits) {
        from.send(
            ResponseEncoder.encode(
                ApiKeys.VOTE,
                request.header().apiVersion(),
                request.header().correlationId(),
                new VoteResponseData()));
      }
    }

    @Override
    public void onDrained(Connection connection) {}

    @Override
    public void onClosed(Connection connection) {}
  }

  private void send(ApiMessage request) {
    shard.execute(
        () -> {
          var unused =
              channel
                  .send(
                      new RaftRequest.Outbound(
                          channel.newCorrelationId(),
                          request,
                          new Node(2, "far", QuorumMember.PORT),
                          0))
                  .whenComplete(
                      (answer, failure) -> heard.add(ApiKeys.forId(answer.data().apiKey()).name()));
          outbox.release();
        });
  }

  @Test
  void aRequestThatWasGivenUpDoesNotHoldUpTheNext() {
    network.listen(
        far.newShard("control"), QuorumMember.PORT, "CONTROLLER", connection -> new Server());
    send(new FetchRequestData());
    scheduler.runForMs(100);
    send(new VoteRequestData());
    scheduler.runForMs(100);
    assertThat(heard).containsExactly("VOTE");
  }

  @Test
  void nothingLeavesBeforeTheOutboxIsReleased() {
    network.listen(
        far.newShard("control"), QuorumMember.PORT, "CONTROLLER", connection -> new Server());
    shard.execute(
        () -> {
          var unused =
              channel.send(
                  new RaftRequest.Outbound(
                      1, new VoteRequestData(), new Node(2, "far", QuorumMember.PORT), 0));
        });
    scheduler.runForMs(1_000);
    assertThat(network.openEnds()).isZero();
  }

  @Test
  void aPeerThatIsNotThereIsToldAsSuch() {
    send(new VoteRequestData());
    scheduler.runForMs(100);
    assertThat(heard).containsExactly("VOTE");
    assertThat(network.openEnds()).isZero();
  }
}
