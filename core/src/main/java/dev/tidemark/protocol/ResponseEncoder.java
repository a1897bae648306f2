package dev.tidemark.protocol;

import dev.tidemark.env.OutboundFrame;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * Turns a response into a frame: one buffer of exactly the size needed, its length prefix included,
 * cut where records from a file come between.
 */
public final class ResponseEncoder {
  private static final int LENGTH_BYTES = 4;

  private ResponseEncoder() {}

  /** The frame for {@code response} in the given API version. */
  public static OutboundFrame encode(
      ApiKeys api, short version, int correlationId, ApiMessage response) {
    ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(correlationId);
    return encode(header, api.responseHeaderVersion(version), response, version);
  }

  static OutboundFrame encode(
      ApiMessage header, short headerVersion, ApiMessage body, short version) {
    ObjectSerializationCache cache = new ObjectSerializationCache();
    MessageSizeAccumulator size = new MessageSizeAccumulator();
    header.addSize(size, cache, headerVersion);
    body.addSize(size, cache, version);
    ByteBuffer buffer = ByteBuffer.allocate(LENGTH_BYTES + size.sizeExcludingZeroCopy());
    buffer.putInt(size.totalSize());
    FrameWriter writer = new FrameWriter(buffer);
    header.write(writer, cache, headerVersion);
    body.write(writer, cache, version);
    List<OutboundFrame.Part> parts = writer.finish();
    return new OutboundFrame(parts, LENGTH_BYTES + size.totalSize());
  }
}
