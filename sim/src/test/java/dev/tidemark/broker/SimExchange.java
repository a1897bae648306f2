package dev.tidemark.broker;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import dev.tidemark.sim.FrameBytes;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** One request to a {@link SimBroker}, on a connection of its own, and its answer once it comes. */
final class SimExchange implements Connection {
  private final RequestHeader header;
  private final List<OutboundFrame> sent = new ArrayList<>();
  private final Connection.Listener broker;

  /** Sends the request; the broker's shards have yet to run. */
  SimExchange(Connection.Acceptor acceptor, AbstractRequest request) {
    header = new RequestHeader(request.apiKey(), request.version(), "sim", 1);
    broker = acceptor.onConnected(this);
    broker.onFrame(this, new Frame(request.serializeWithHeader(header)));
  }

  boolean isAnswered() {
    return !sent.isEmpty();
  }

  /** The answer, which must be there and may be taken once. */
  <R extends AbstractResponse> R answer(Class<R> type) {
    if (sent.size() != 1) {
      throw new AssertionError(header + " has " + sent.size() + " answers");
    }
    ByteBuffer answer = FrameBytes.take(sent.remove(0)).position(4);
    return type.cast(AbstractResponse.parseResponse(answer, header));
  }

  /** The client is gone. */
  void abandon() {
    broker.onClosed(this);
  }

  private record Frame(ByteBuffer buffer) implements InboundFrame {
    @Override
    public void release() {}
  }

  @Override
  public String id() {
    return "sim";
  }

  @Override
  public InetAddress remoteAddress() {
    return InetAddress.getLoopbackAddress();
  }

  @Override
  public int remotePort() {
    return 1;
  }

  @Override
  public String listenerName() {
    return "PLAINTEXT";
  }

  @Override
  public void send(OutboundFrame frame) {
    sent.add(frame);
  }

  @Override
  public void pauseReading(boolean pause) {}

  @Override
  public void close() {}

  @Override
  public void closeAfterSending() {}
}
