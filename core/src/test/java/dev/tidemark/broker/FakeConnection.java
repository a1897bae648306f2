package dev.tidemark.broker;

import dev.tidemark.env.Connection;
import dev.tidemark.env.InboundFrame;
import dev.tidemark.env.OutboundFrame;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** A peer that keeps what it is sent. */
final class FakeConnection implements Connection {
  final List<OutboundFrame> sent = new ArrayList<>();
  boolean paused;
  boolean closed;
  int framesInUse;

  /** The correlation ids of the answers, in the order in which they were sent. */
  List<Integer> answered() {
    List<Integer> ids = new ArrayList<>();
    for (OutboundFrame frame : sent) {
      ByteBuffer first = ((OutboundFrame.Bytes) frame.parts().get(0)).buffer();
      ids.add(first.getInt(4));
    }
    return ids;
  }

  InboundFrame frame(AbstractRequest request, int correlationId) {
    RequestHeader header =
        new RequestHeader(request.apiKey(), request.version(), "test", correlationId);
    return frame(request.serializeWithHeader(header));
  }

  InboundFrame frame(ByteBuffer bytes) {
    framesInUse++;
    return new InboundFrame() {
      private boolean released;

      @Override
      public ByteBuffer buffer() {
        return bytes;
      }

      @Override
      public void release() {
        if (released) {
          throw new IllegalStateException("released twice");
        }
        released = true;
        framesInUse--;
      }
    };
  }

  @Override
  public String id() {
    return "fake";
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
  public void pauseReading(boolean pause) {
    paused = pause;
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public void closeAfterSending() {
    closed = true;
  }
}
