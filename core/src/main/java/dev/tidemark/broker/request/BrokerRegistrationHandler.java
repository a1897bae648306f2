package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;

/** BrokerRegistration: a broker's new run becomes known to the controller (KIP-631). */
public final class BrokerRegistrationHandler implements RequestHandler {
  private final ControllerCalls controller;

  public BrokerRegistrationHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    BrokerRegistrationRequestData data = request.data(BrokerRegistrationRequestData.class);
    controller.<Long>call(
        (decider, reply) -> decider.registerBroker(data, reply),
        new Reply<>() {
          @Override
          public void succeed(Long brokerEpoch) {
            request.answer(new BrokerRegistrationResponseData().setBrokerEpoch(brokerEpoch));
          }

          @Override
          public void fail(Throwable cause) {
            request.fail(cause);
          }
        });
  }
}
