package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.metadata.ControllerCalls;
import dev.tidemark.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;

/**
 * IncrementalAlterConfigs: changes single configs, which take effect at once (KIP-339). The levels
 * of loggers are this broker's own; all else is for the controller.
 */
public final class IncrementalAlterConfigsHandler implements RequestHandler {
  private final Alterer controller;
  private final LoggerConfigs loggers;

  /** Lets the active controller change configs; replies on the request's shard. */
  @FunctionalInterface
  public interface Alterer {
    void alter(
        Request request,
        IncrementalAlterConfigsRequestData asked,
        Reply<IncrementalAlterConfigsResponseData> reply);

    /** Asks the controller in this process. */
    static Alterer of(ControllerCalls controller) {
      return (request, asked, reply) ->
          controller.call(
              (decider, answer) -> decider.incrementalAlterConfigs(asked, answer), reply);
    }
  }

  public IncrementalAlterConfigsHandler(ControllerCalls controller, LoggerConfigs loggers) {
    this(Alterer.of(controller), loggers);
  }

  public IncrementalAlterConfigsHandler(Alterer controller, LoggerConfigs loggers) {
    this.controller = controller;
    this.loggers = loggers;
  }

  @Override
  public void handle(Request request) {
    IncrementalAlterConfigsRequestData data =
        request.data(IncrementalAlterConfigsRequestData.class);
    List<AlterConfigsResourceResponse> own = new ArrayList<>();
    IncrementalAlterConfigsRequestData others =
        new IncrementalAlterConfigsRequestData().setValidateOnly(data.validateOnly());
    for (AlterConfigsResource resource : data.resources()) {
      if (resource.resourceType() == ConfigResource.Type.BROKER_LOGGER.id()) {
        own.add(loggers.alter(resource, data.validateOnly()));
      } else {
        others.resources().add(resource.duplicate());
      }
    }
    if (others.resources().isEmpty()) {
      request.answer(new IncrementalAlterConfigsResponseData().setResponses(own));
      return;
    }
    controller.alter(
        request,
        others,
        new Reply<IncrementalAlterConfigsResponseData>() {
          @Override
          public void succeed(IncrementalAlterConfigsResponseData result) {
            result.responses().addAll(own);
            request.answer(result);
          }

          @Override
          public void fail(Throwable cause) {
            request.fail(cause);
          }
        });
  }
}
