package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;

/** UpdateFeatures: makes other levels of features final (KIP-584). */
public final class UpdateFeaturesHandler implements RequestHandler {
  private final ControllerCalls controller;

  public UpdateFeaturesHandler(ControllerCalls controller) {
    this.controller = controller;
  }

  @Override
  public void handle(Request request) {
    UpdateFeaturesRequestData data = request.data(UpdateFeaturesRequestData.class);
    controller.call(
        (decider, reply) -> decider.updateFeatures(data, request.version(), reply),
        new ControllerAnswer<UpdateFeaturesResponseData>(request));
  }
}
