package dev.tidemark.broker;

import dev.tidemark.env.OutboundFrame;
import java.nio.ByteBuffer;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.message.EnvelopeResponseData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client's request that a broker forwarded; its answer goes back within the envelope's. */
final class EnvelopedRequest implements RequestOwner {
  private static final Logger LOG = LoggerFactory.getLogger(EnvelopedRequest.class);
  private static final int LENGTH_BYTES = 4;

  private final Request envelope;
  private final ClientContext client;

  EnvelopedRequest(Request envelope, ClientContext client) {
    this.envelope = envelope;
    this.client = client;
  }

  @Override
  public ClientContext client() {
    return client;
  }

  @Override
  public void clientSoftware(ClientInformation told) {
    // It belongs to the client's own connection.
  }

  @Override
  public void onAnswered(Request request) {
    OutboundFrame frame = request.frame();
    if (!envelope.isAnswered() && frame != null) {
      envelope.answer(new EnvelopeResponseData().setResponseData(bytes(frame)));
    }
  }

  /** Without the length prefix: header and body. */
  private static ByteBuffer bytes(OutboundFrame frame) {
    ByteBuffer all = ByteBuffer.allocate(frame.length());
    for (OutboundFrame.Part part : frame.parts()) {
      if (!(part instanceof OutboundFrame.Bytes bytes)) {
        throw new IllegalStateException("A forwarded request is answered with records of a file");
      }
      all.put(bytes.buffer().duplicate());
    }
    return all.flip().position(LENGTH_BYTES).slice();
  }

  /** The broker asks again whoever decides then; nothing was done here. */
  @Override
  public boolean takesFailure(Request request, Throwable cause) {
    if (cause instanceof NotControllerException) {
      refuse(Errors.NOT_CONTROLLER);
      return true;
    }
    return false;
  }

  private void refuse(Errors error) {
    if (!envelope.isAnswered()) {
      envelope.answer(new EnvelopeResponseData().setErrorCode(error.code()).setResponseData(null));
    }
  }

  @Override
  public void closeFor(String why) {
    LOG.info("A request that {} forwarded has no answer: {}", envelope.client().address(), why);
    refuse(Errors.UNKNOWN_SERVER_ERROR);
  }

  @Override
  public void goOn(Request request, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      onFailure(request, e);
    }
  }

  void onFailure(Request request, RuntimeException e) {
    if (!(e instanceof ApiException)) {
      LOG.error("The forwarded {} failed", request.header(), e);
    }
    if (!request.isAnswered()) {
      request.fail(e);
    }
  }

  @Override
  public void whenEnded(Runnable action) {
    // No request that is forwarded has something to do then.
  }

  @Override
  public void onTookIn() {
    // The frame is the envelope's.
  }
}
