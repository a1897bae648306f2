package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;

/** IncrementalAlterConfigs: changes single configs, which take effect at once (KIP-339). */
public final class IncrementalAlterConfigsHandler implements RequestHandler {
  private final ControllerCalls controller;

  public IncrementalAlterConfigsHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    IncrementalAlterConfigsRequestData data =
        request.data(IncrementalAlterConfigsRequestData.class);
    controller.call(
        (decider, reply) -> decider.incrementalAlterConfigs(data, reply),
        new ControllerAnswer<IncrementalAlterConfigsResponseData>(request));
  }
}
