package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;

/** UnregisterBroker: a broker that is retired is forgotten. */
public final class UnregisterBrokerHandler implements RequestHandler {
  private final ControllerCalls controller;

  public UnregisterBrokerHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    int brokerId = request.data(UnregisterBrokerRequestData.class).brokerId();
    controller.<Integer>call(
        (decider, reply) -> decider.unregisterBroker(brokerId, reply),
        new Reply<>() {
          @Override
          public void succeed(Integer gone) {
            request.answer(new UnregisterBrokerResponseData());
          }

          @Override
          public void fail(Throwable cause) {
            request.fail(cause);
          }
        });
  }
}
