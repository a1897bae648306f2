package dev.tidemark.differential;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/** The bytes of a step's request. */
final class StepFrame {
  private StepFrame() {}

  static RequestHeader header(Step step, int correlationId) {
    ApiKeys api = MessageJson.api(step.api());
    if (step.raw() && !api.isVersionSupported(step.version())) {
      return new RequestHeader(
          new RequestHeaderData()
              .setRequestApiKey(api.id)
              .setRequestApiVersion(step.version())
              .setClientId("script")
              .setCorrelationId(correlationId),
          (short) 1);
    }
    return new RequestHeader(api, step.version(), "script", correlationId);
  }

  /** The frame without its length; {@code body} is the step's with its variables filled in. */
  static ByteBuffer of(Step step, RequestHeader header, String body) throws IOException {
    if (step.raw()) {
      ByteBuffer head =
          MessageUtil.toByteBufferAccessor(header.data(), header.headerVersion()).buffer();
      byte[] bytes = MessageJson.bytes("hex:" + MessageJson.parse(body).path("hex").asText());
      return ByteBuffer.allocate(head.remaining() + bytes.length).put(head).put(bytes).flip();
    }
    ApiMessage message = MessageJson.request(header.apiKey(), body);
    return RequestUtils.serialize(header.data(), header.headerVersion(), message, step.version());
  }
}
