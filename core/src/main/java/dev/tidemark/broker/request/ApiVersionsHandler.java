package dev.tidemark.broker.request;

import dev.tidemark.broker.HandlerRegistry;
import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;

/** ApiVersions: what this broker answers, and the cluster's features (KIP-35, KIP-511, KIP-584). */
public final class ApiVersionsHandler implements RequestHandler {
  private static final short FIRST_VERSION_WITH_SOFTWARE = 3;

  private final HandlerRegistry handlers;
  private final Supplier<ApiVersionsResponseData> features;

  /**
   * @param features gives an answer with the supported and finalized features filled in
   */
  public ApiVersionsHandler(HandlerRegistry handlers, Supplier<ApiVersionsResponseData> features) {
    this.handlers = handlers;
    this.features = features;
  }

  @Override
  public void handle(Request request) {
    if (request.unsupportedVersion()) {
      request.answer(
          new ApiVersionsResponseData()
              .setErrorCode(Errors.UNSUPPORTED_VERSION.code())
              .setApiKeys(handlers.advertised()));
      return;
    }
    if (!((ApiVersionsRequest) request.body()).isValid()) {
      request.fail(
          new InvalidRequestException(
              "the client's software name or version holds characters that are not allowed"));
      return;
    }
    if (request.version() >= FIRST_VERSION_WITH_SOFTWARE) {
      ApiVersionsRequestData data = request.data(ApiVersionsRequestData.class);
      request.clientSoftware(
          new ClientInformation(data.clientSoftwareName(), data.clientSoftwareVersion()));
    }
    request.answer(features.get().setApiKeys(handlers.advertised()));
  }
}
