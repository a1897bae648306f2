package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;

/** AlterConfigs: the older form, which replaces all configs of a resource. */
public final class AlterConfigsHandler implements RequestHandler {
  private final ControllerCalls controller;

  public AlterConfigsHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    AlterConfigsRequestData data = request.data(AlterConfigsRequestData.class);
    controller.call(
        (decider, reply) -> decider.alterConfigs(data, reply),
        new ControllerAnswer<AlterConfigsResponseData>(request));
  }
}
