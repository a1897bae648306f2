package dev.tidemark.broker.control;

import dev.tidemark.env.Dialer;
import dev.tidemark.env.Shard;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.quorum.QuorumAddress;
import java.util.Objects;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * The way to the active controller: straight to the one in this process, else over one connection,
 * which is closed when another becomes active. Requests over it are answered in their order, so
 * there is one channel for each kind of request that must not wait for another. Owned by the data
 * shard.
 */
public final class RoutedChannel implements ControllerChannel {
  private final KnownController known;
  private final LocalController local;
  private final Dialer dialer;
  private final Shard data;
  private final String clientId;
  private @Nullable PeerConnection peer;
  private @Nullable QuorumAddress peerAddress;
  private Runnable whenLost = () -> {};
  private boolean closed;

  /**
   * A channel without a connection yet.
   *
   * @param here the controller in this process, which may be active or not
   * @param dialer of the data shard
   */
  public RoutedChannel(
      KnownController known, ControllerCalls here, Dialer dialer, Shard data, String clientId) {
    this.known = known;
    this.local = new LocalController(here);
    this.dialer = dialer;
    this.data = data;
    this.clientId = clientId;
    known.onChange(this::onChange);
  }

  /** What to do when the connection to another process has ended, or another one is called now. */
  void whenLost(Runnable action) {
    whenLost = action;
  }

  private void onChange() {
    ActiveController now = known.now();
    if (peer != null && (now.isHere() || !Objects.equals(peerAddress, now.address()))) {
      hangUp();
      whenLost.run();
    }
  }

  /** What is under way there fails first: nobody else tells those who wait. */
  private void hangUp() {
    PeerConnection old = peer;
    peer = null;
    peerAddress = null;
    if (old != null) {
      old.failAndClose();
    }
  }

  @Override
  public void send(ApiKeys api, ApiMessage request, long timeoutMs, PeerConnection.Answer answer) {
    ActiveController now = known.now();
    QuorumAddress address = now.address();
    if (closed || (!now.isHere() && address == null)) {
      data.execute(() -> answer.onFailed(PeerConnection.Failure.UNREACHABLE));
    } else if (now.isHere() && api != ApiKeys.ENVELOPE) {
      local.call(api, request, answer);
    } else if (address == null) {
      data.execute(() -> answer.onFailed(PeerConnection.Failure.UNREACHABLE));
    } else {
      peer(address).send(api, SentVersions.of(api), request, timeoutMs, answer);
    }
  }

  private PeerConnection peer(QuorumAddress address) {
    PeerConnection current = peer;
    if (current == null || !address.equals(peerAddress)) {
      current = new PeerConnection(dialer, data.timers(), clientId, address.host(), address.port());
      current.whenLost(() -> whenLost.run());
      peer = current;
      peerAddress = address;
    }
    return current;
  }

  /** Ends the connection; what is asked from now on fails. */
  public void close() {
    closed = true;
    hangUp();
  }
}
