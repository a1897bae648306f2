package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;

/** CreateTopics: decided by the controller, answered once the topics are durable. */
public final class CreateTopicsHandler implements RequestHandler {
  private final ControllerCalls controller;

  public CreateTopicsHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    CreateTopicsRequestData data = request.data(CreateTopicsRequestData.class);
    controller.call(
        (decider, reply) -> decider.createTopics(data, reply),
        new ControllerAnswer<CreateTopicsResponseData>(request));
  }
}
