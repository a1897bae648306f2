package dev.tidemark.sim;

import dev.tidemark.env.Connection;
import dev.tidemark.env.Dialer;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.Timers;
import org.jspecify.annotations.Nullable;

/** Connections of one shard to ports of other hosts of a {@link VirtualNetwork}. */
public final class VirtualDialer implements Dialer {
  private final SimShard shard;
  private final VirtualNetwork network;

  public VirtualDialer(SimShard shard) {
    this.shard = shard;
    this.network = shard.node().network();
  }

  @Override
  public void connect(String host, int port, long timeoutMs, Attempt attempt) {
    Waiting waiting = new Waiting(host + ":" + port, attempt);
    waiting.timer = shard.timers().schedule(timeoutMs, () -> waiting.onTimedOut(timeoutMs));
    network.connect(shard, host, port, waiting);
  }

  /** An attempt that ends once: by what the network says, or by its time. */
  private static final class Waiting implements VirtualNetwork.Attempt {
    private final String address;
    private @Nullable Attempt attempt;
    private Timers.@Nullable Timer timer;

    Waiting(String address, Attempt attempt) {
      this.address = address;
      this.attempt = attempt;
    }

    private @Nullable Attempt end() {
      Attempt ended = attempt;
      attempt = null;
      if (timer != null) {
        timer.cancel();
      }
      return ended;
    }

    @Override
    public Connection.Listener onConnected(Connection connection) {
      Attempt ended = end();
      if (ended == null) {
        connection.close();
        return new Unheard();
      }
      return ended.onConnected(connection);
    }

    @Override
    public void onRefused() {
      Attempt ended = end();
      if (ended != null) {
        ended.onRefused();
      }
    }

    void onTimedOut(long timeoutMs) {
      Attempt ended = end();
      if (ended != null) {
        ended.onUnreachable(address + " did not answer within " + timeoutMs + " ms");
      }
    }
  }

  /** Of a connection that came too late. */
  private static final class Unheard implements Connection.Listener {
    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      frame.release();
    }

    @Override
    public void onDrained(Connection connection) {}

    @Override
    public void onClosed(Connection connection) {}
  }
}
