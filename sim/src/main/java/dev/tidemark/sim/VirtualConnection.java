package dev.tidemark.sim;

import static java.util.Objects.requireNonNull;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One end of a connection. Frames are copied when they are sent, so that a late write is seen. */
final class VirtualConnection implements Connection {
  private static final int LENGTH_BYTES = 4;
  private static final int FIRST_CLIENT_PORT = 32_768;

  private final VirtualNetwork network;
  private final SimShard shard;
  private final String listenerName;
  private final int number;
  private final String peerHost;
  private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
  private @Nullable VirtualConnection peer;
  private Connection.@Nullable Listener listener;
  private long lastArrivalNs;
  private int underWay;
  private boolean paused;
  private boolean peerClosed;
  private boolean closing;
  private boolean closed;
  private boolean gone; // with its host's power

  VirtualConnection(
      VirtualNetwork network, SimShard shard, String listenerName, int number, String peerHost) {
    this.network = network;
    this.shard = shard;
    this.listenerName = listenerName;
    this.number = number;
    this.peerHost = peerHost;
  }

  void pairWith(VirtualConnection other) {
    peer = other;
  }

  String host() {
    return shard.node().host();
  }

  /** The owner knows of the connection now and hears what has come. */
  void open(Connection.Listener owner) {
    listener = owner;
    deliver();
  }

  @Override
  public String id() {
    return host() + ":" + listenerName + "-" + peerHost + "-" + number;
  }

  @Override
  public InetAddress remoteAddress() {
    try {
      byte[] address = {10, 0, (byte) (peerHost.hashCode() >> 8), (byte) peerHost.hashCode()};
      return InetAddress.getByAddress(peerHost, address);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }

  @Override
  public int remotePort() {
    return FIRST_CLIENT_PORT + number % FIRST_CLIENT_PORT;
  }

  @Override
  public String listenerName() {
    return listenerName;
  }

  // --- sending ---

  @Override
  public void send(OutboundFrame frame) {
    ByteBuffer bytes = FrameBytes.take(frame);
    if (closed || closing) {
      return;
    }
    if (bytes.getInt(0) != bytes.limit() - LENGTH_BYTES) {
      throw new IllegalStateException(id() + " sends a frame whose length is not its own");
    }
    shard.node().scheduler().trace().add(shard.node().scheduler().nowNs(), id(), summary(bytes));
    VirtualConnection other = requireNonNull(peer);
    underWay++;
    lastArrivalNs =
        network.carryFrame(
            host(),
            peerHost,
            lastArrivalNs,
            () -> {
              if (other.gone) {
                refuse();
                return;
              }
              other.onArrived(bytes.position(LENGTH_BYTES));
              network.carry(peerHost, host(), () -> shard.after(0, "sent", this::onSent));
            });
  }

  /** The other host knows nothing of this connection; while it is without power nobody says so. */
  private void refuse() {
    if (network.isOn(peerHost)) {
      network.carry(peerHost, host(), this::onPeerClosed);
    }
  }

  /** A host has power again: what was sent to it meanwhile is sent once more, and refused. */
  void onPowerOf(String host) {
    if (peerHost.equals(host) && underWay > 0 && requireNonNull(peer).gone) {
      refuse();
    }
  }

  private static String summary(ByteBuffer frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame.duplicate());
    return "sends " + frame.limit() + " bytes, CRC " + Long.toHexString(crc.getValue());
  }

  private void onSent() {
    underWay--;
    Connection.Listener owner = listener;
    if (underWay == 0 && !closed && owner != null) {
      owner.onDrained(this);
    }
  }

  // --- receiving ---

  private void onArrived(ByteBuffer frame) {
    arrived.add(frame);
    shard.after(0, "frame", this::deliver);
  }

  private void deliver() {
    Connection.Listener owner = listener;
    if (owner == null) {
      return;
    }
    while (!arrived.isEmpty() && !paused && !closed) {
      owner.onFrame(this, new VirtualFrame(arrived.remove()));
    }
    if (peerClosed && arrived.isEmpty() && !closed) {
      end(owner);
    }
  }

  private record VirtualFrame(ByteBuffer buffer) implements InboundFrame {
    @Override
    public void release() {}
  }

  @Override
  public void pauseReading(boolean pause) {
    paused = pause;
    if (!pause) {
      shard.after(0, "resume", this::deliver);
    }
  }

  // --- the end ---

  @Override
  public void close() {
    if (!closed && !closing) {
      closing = true;
      tellPeer();
      shard.after(0, "closed", this::endOnce);
    }
  }

  @Override
  public void closeAfterSending() {
    close(); // frames keep their order, so the end comes behind what was sent
  }

  private void endOnce() {
    Connection.Listener owner = listener;
    if (!closed && owner != null) {
      end(owner);
    }
  }

  private void end(Connection.Listener owner) {
    closed = true;
    network.closed(this);
    if (!closing) {
      tellPeer();
    }
    owner.onClosed(this);
  }

  /** The process of this end is gone: nobody hears of it here. */
  void die(boolean tellsPeer) {
    closed = true;
    gone = !tellsPeer;
    if (tellsPeer && !closing) {
      tellPeer();
    }
  }

  private void tellPeer() {
    VirtualConnection other = requireNonNull(peer);
    lastArrivalNs = network.carryNotBefore(host(), peerHost, lastArrivalNs, other::onPeerClosed);
  }

  private void onPeerClosed() {
    peerClosed = true;
    shard.after(0, "peer closed", this::deliver);
  }
}
