package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;

/** DeleteTopics: by name or by id (KIP-516). */
public final class DeleteTopicsHandler implements RequestHandler {
  private final ControllerCalls controller;

  public DeleteTopicsHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    DeleteTopicsRequestData data = request.data(DeleteTopicsRequestData.class);
    RequestedNames.checkNumber(Math.max(data.topicNames().size(), data.topics().size()));
    controller.call(
        (decider, reply) -> decider.deleteTopics(data, reply),
        new ControllerAnswer<DeleteTopicsResponseData>(request));
  }
}
