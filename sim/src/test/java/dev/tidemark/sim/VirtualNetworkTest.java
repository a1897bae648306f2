package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualNetworkTest {
  private static final int PORT = 9092;

  private final Scheduler scheduler = new Scheduler(new Trace(null));
  private final VirtualNetwork network = new VirtualNetwork(scheduler, 1);
  private final SimNode a = new SimNode("a", network, 1, 0, 0);
  private final SimNode b = new SimNode("b", network, 1, 0, 0);
  private final SimShard onA = a.newShard("client");
  private final SimShard onB = b.newShard("server");
  private final Peer client = new Peer();
  private final Peer server = new Peer();

  /** Notes what it hears. */
  private static final class Peer implements Connection.Listener, VirtualNetwork.Attempt {
    private final List<Integer> heard = new ArrayList<>();
    private Connection connection;
    private boolean refused;
    private int closed;
    private int drained;

    Connection.Listener accept(Connection accepted) {
      connection = accepted;
      return this;
    }

    @Override
    public Connection.Listener onConnected(Connection connected) {
      return accept(connected);
    }

    @Override
    public void onRefused() {
      refused = true;
    }

    @Override
    public void onFrame(Connection from, InboundFrame frame) {
      heard.add(frame.buffer().getInt());
      frame.release();
    }

    @Override
    public void onDrained(Connection from) {
      drained++;
    }

    @Override
    public void onClosed(Connection from) {
      closed++;
    }

    void send(int number) {
      ByteBuffer frame = ByteBuffer.allocate(8).putInt(4).putInt(number).flip();
      connection.send(OutboundFrame.of(List.of(new OutboundFrame.Bytes(frame))));
    }
  }

  private void connect() {
    network.listen(onB, PORT, "PLAINTEXT", server::accept);
    network.connect(onA, "b", PORT, client);
    scheduler.runForMs(100);
    assertThat(client.connection).isNotNull();
    assertThat(server.connection).isNotNull();
  }

  private void sendHundred() {
    onA.execute(
        () -> {
          for (int i = 0; i < 100; i++) {
            client.send(i);
          }
        });
  }

  private void assertHundredHeard() {
    assertThat(server.heard).hasSize(100).isSorted();
  }

  @Test
  void framesArriveInTheOrderInWhichTheyWereSent() {
    connect();
    sendHundred();
    scheduler.runForMs(100);
    assertHundredHeard();
    assertThat(client.drained).isPositive();
  }

  @Test
  void aCutLinkHoldsFramesBackUntilItIsHealed() {
    connect();
    sendHundred();
    network.cut("a", "b");
    scheduler.runForMs(1_000);
    assertThat(server.heard).isEmpty();
    network.heal();
    sendHundred();
    scheduler.runForMs(100);
    assertThat(server.heard).hasSize(200);
    assertThat(server.heard.subList(0, 100)).isSorted();
    assertThat(server.heard.subList(100, 200)).isSorted();
  }

  @Test
  void aLinkCutOneWayStillCarriesTheOther() {
    connect();
    network.cutOneWay("a", "b");
    onB.execute(() -> server.send(7));
    onA.execute(() -> client.send(8));
    scheduler.runForMs(100);
    assertThat(client.heard).containsExactly(7);
    assertThat(server.heard).isEmpty();
  }

  @Test
  void whatWasSentBeforeAnEndArrivesBeforeIt() {
    connect();
    sendHundred();
    onA.execute(() -> client.connection.closeAfterSending());
    scheduler.runForMs(100);
    assertHundredHeard();
    assertThat(server.closed).isEqualTo(1);
    assertThat(client.closed).isEqualTo(1);
    assertThat(network.openEnds()).isZero();
  }

  @Test
  void peersOfAKilledProcessHearOfItAndNewOnesAreRefused() {
    connect();
    b.kill();
    scheduler.runForMs(100);
    assertThat(client.closed).isEqualTo(1);
    assertThat(server.closed).as("the dead hear nothing").isZero();
    Peer late = new Peer();
    network.connect(onA, "b", PORT, late);
    scheduler.runForMs(100);
    assertThat(late.refused).isTrue();
  }

  @Test
  void peersOfAMachineWithoutPowerHearNothing() {
    connect();
    b.powerLoss();
    sendHundred();
    scheduler.runForMs(10_000);
    assertThat(client.closed).isZero();
    assertThat(server.heard).isEmpty();
  }

  @Test
  void aFrozenProcessHearsEverythingWhenItWakes() {
    connect();
    b.freeze();
    sendHundred();
    scheduler.runForMs(10_000);
    assertThat(server.heard).isEmpty();
    b.wake();
    scheduler.runForMs(100);
    assertHundredHeard();
  }

  @Test
  void aPeerThatIsNotReadFromWaits() {
    connect();
    onB.execute(() -> server.connection.pauseReading(true));
    scheduler.runForMs(100);
    sendHundred();
    scheduler.runForMs(100);
    assertThat(server.heard).isEmpty();
    onB.execute(() -> server.connection.pauseReading(false));
    scheduler.runForMs(100);
    assertHundredHeard();
  }
}
