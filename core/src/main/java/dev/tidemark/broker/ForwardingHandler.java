package dev.tidemark.broker;

import dev.tidemark.broker.control.Forwarder;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.protocol.ApiMessage;

/** Answers with what the active controller says, wherever that is. */
final class ForwardingHandler implements RequestHandler {
  private final Forwarder forwarder;
  private final RequestHandler local;

  /** {@code local} answers while the active controller is in this process. */
  ForwardingHandler(Forwarder forwarder, RequestHandler local) {
    this.forwarder = forwarder;
    this.local = local;
  }

  @Override
  public void handle(Request request) {
    forwarder.ask(
        request.header(),
        request.body(),
        asker(request),
        () -> request.goOn(() -> local.handle(request)),
        new Reply<>() {
          @Override
          public void succeed(ApiMessage response) {
            request.answer(response);
          }

          @Override
          public void fail(Throwable cause) {
            request.fail(cause);
          }
        });
  }

  static Forwarder.Asker asker(Request request) {
    return new Forwarder.Asker(
        request.client().principal(), request.client().address(), request::isAbandoned);
  }
}
