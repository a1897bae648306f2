package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;

/**
 * BrokerHeartbeat: renews a broker's session and lease (KIP-631). When the connection that carries
 * a broker's heartbeats ends, the controller finds out whether the broker is dead.
 */
public final class BrokerHeartbeatHandler implements RequestHandler {
  private final ControllerCalls controller;

  public BrokerHeartbeatHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    BrokerHeartbeatRequestData data = request.data(BrokerHeartbeatRequestData.class);
    int brokerId = data.brokerId();
    long brokerEpoch = data.brokerEpoch();
    request.whenConnectionEnds(
        () -> controller.tell(decider -> decider.onConnectionLost(brokerId, brokerEpoch)));
    controller.call(
        (decider, reply) -> decider.heartbeat(data, reply),
        new ControllerAnswer<BrokerHeartbeatResponseData>(request));
  }
}
