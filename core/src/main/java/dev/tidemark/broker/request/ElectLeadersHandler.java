package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;

/** ElectLeaders: gives partitions back to their preferred leaders (KIP-460). */
public final class ElectLeadersHandler implements RequestHandler {
  private final ControllerCalls controller;

  public ElectLeadersHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    ElectLeadersRequestData data = request.data(ElectLeadersRequestData.class);
    controller.call(
        (decider, reply) -> decider.electLeaders(data, reply),
        new ControllerAnswer<ElectLeadersResponseData>(request));
  }
}
