package dev.tidemark.broker;

import dev.tidemark.broker.control.ForwardedPrincipal;
import dev.tidemark.protocol.ReceivedRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.EnvelopeRequestData;
import org.apache.kafka.common.message.EnvelopeResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Envelope: a request that a client sent to a broker which is not the controller (KIP-590). */
final class EnvelopeHandler implements RequestHandler {
  private final HandlerRegistry handlers;

  /** {@code handlers} answer what is in envelopes, except what may not be forwarded. */
  EnvelopeHandler(HandlerRegistry handlers) {
    this.handlers = handlers;
  }

  @Override
  public void handle(Request envelope) {
    EnvelopeRequestData data = envelope.data(EnvelopeRequestData.class);
    ReceivedRequest received;
    ClientContext client;
    try {
      received = ReceivedRequest.parse(data.requestData().duplicate());
      client = client(envelope.client(), data);
    } catch (InvalidRequestException | UnsupportedVersionException | UnknownHostException e) {
      refuse(envelope, Errors.INVALID_REQUEST);
      return;
    }
    RequestHandler handler = handlers.handler(received.header().apiKey());
    boolean isAnswered =
        received.header().apiKey().forwardable
            && handlers.answers(received.header().apiKey(), received.header().apiVersion());
    if (handler == null || !isAnswered) {
      refuse(envelope, Errors.INVALID_REQUEST);
      return;
    }
    EnvelopedRequest owner = new EnvelopedRequest(envelope, client);
    Request request = new Request(received, owner, envelope.startedNs());
    try {
      handler.handle(request);
    } catch (RuntimeException e) {
      owner.onFailure(request, e);
    }
  }

  private static ClientContext client(ClientContext broker, EnvelopeRequestData data)
      throws UnknownHostException {
    return new ClientContext(
        broker.connectionId(),
        InetAddress.getByAddress(data.clientHostAddress()),
        broker.port(),
        ForwardedPrincipal.read(data.requestPrincipal()),
        broker.listenerName(),
        broker.securityProtocol(),
        broker.software());
  }

  private static void refuse(Request envelope, Errors error) {
    envelope.answer(new EnvelopeResponseData().setErrorCode(error.code()).setResponseData(null));
  }
}
