package dev.tidemark.protocol;

import dev.tidemark.env.OutboundFrame;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Turns a request of this node to another one into a frame. */
final class RequestEncoder {
  private RequestEncoder() {}

  /** The frame for {@code request} in the given API version, its length prefix included. */
  static OutboundFrame encode(
      ApiKeys api, short version, int correlationId, String clientId, ApiMessage request) {
    RequestHeaderData header =
        new RequestHeaderData()
            .setRequestApiKey(api.id)
            .setRequestApiVersion(version)
            .setCorrelationId(correlationId)
            .setClientId(clientId);
    return ResponseEncoder.encode(header, api.requestHeaderVersion(version), request, version);
  }
}
