package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * A request as it came: header and body. The body refers to the frame's memory where it holds
 * records.
 *
 * @param unsupportedVersion true for an ApiVersions request of a version we do not know: it is
 *     answered in version 0 with the versions we do know (KIP-35), everything else of that kind is
 *     an {@link UnsupportedVersionException}
 * @param sizeInBytes of the whole frame
 */
public record ReceivedRequest(
    RequestHeader header, AbstractRequest body, boolean unsupportedVersion, int sizeInBytes) {

  /** For answers without records. */
  public static final BaseRecords NO_RECORDS = MemoryRecords.EMPTY;

  /**
   * Parses a frame without its length prefix.
   *
   * @throws InvalidRequestException if the bytes are no request; the peer cannot be answered
   * @throws UnsupportedVersionException if the version of a known API is not known
   */
  public static ReceivedRequest parse(ByteBuffer frame) {
    int sizeInBytes = frame.remaining();
    RequestHeader header = parseHeader(frame);
    ApiKeys api = header.apiKey();
    short version = header.apiVersion();
    if (!api.isVersionSupported(version)) {
      if (api == ApiKeys.API_VERSIONS) {
        return new ReceivedRequest(
            header,
            new ApiVersionsRequest(new ApiVersionsRequestData(), (short) 0),
            true,
            sizeInBytes);
      }
      throw new UnsupportedVersionException(
          "version %d of %s is not supported; known are %d to %d"
              .formatted(version, api.name, api.oldestVersion(), api.latestVersion()));
    }
    try {
      Readable fields =
          sizeInBytes < CountedReadable.FROM_BYTES
              ? new ByteBufferAccessor(frame)
              : new CountedReadable(frame);
      AbstractRequest body = AbstractRequest.parseRequest(api, version, fields).request;
      if (frame.hasRemaining()) {
        throw new InvalidRequestException(frame.remaining() + " bytes follow the request");
      }
      return new ReceivedRequest(header, body, false, sizeInBytes);
    } catch (InvalidRequestException | UnsupportedVersionException e) {
      throw e;
    } catch (RuntimeException e) {
      // Kafka's generated readers throw what the byte at hand brings about.
      throw new InvalidRequestException(
          "the body of %s version %d cannot be read: %s".formatted(api.name, version, e), e);
    }
  }

  private static RequestHeader parseHeader(ByteBuffer frame) {
    try {
      return RequestHeader.parse(frame);
    } catch (InvalidRequestException | UnsupportedVersionException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new InvalidRequestException("the request header cannot be read: " + e, e);
    }
  }

  /** The header's plain data, for logs. */
  public RequestHeaderData headerData() {
    return header.data();
  }

  /** True if these records begin with a batch that is compressed with zstd (KIP-110). */
  public static boolean isZstd(ByteBuffer records) {
    if (records.remaining() < BatchHeader.SIZE) {
      return false;
    }
    BatchHeader header = new BatchHeader();
    header.wrap(records, records.position());
    return header.compressionId() == CompressionType.ZSTD.id;
  }

  /** The bytes of the records in a Produce request's partition, or null when it has none. */
  public static @Nullable ByteBuffer recordsOf(PartitionProduceData partition) {
    BaseRecords records = partition.records();
    return records == null ? null : ((MemoryRecords) records).buffer();
  }
}
