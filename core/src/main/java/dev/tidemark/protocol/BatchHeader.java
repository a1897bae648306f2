package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A view of the 61-byte header of a record batch, format v2 (KIP-98), at a place in a big-endian
 * buffer. It is moved from batch to batch with {@link #wrap} instead of being created anew, and
 * never moves the buffer's position for good. Base offset and leader epoch lie outside what the CRC
 * covers, which is why a broker may set them in place.
 */
public final class BatchHeader {
  /** Bytes before the first record. */
  public static final int SIZE = 61;

  /** Bytes that the batch's own length field does not count: base offset and that field. */
  public static final int LENGTH_OVERHEAD = 12;

  /** Where the magic byte stands: the first byte that tells the format, in all formats. */
  public static final int MAGIC_AT = 16;

  public static final byte MAGIC_V2 = 2;

  /** Where the bytes begin that the CRC covers, up to the end of the batch. */
  public static final int CRC_COVERS_FROM = 21;

  private static final int LENGTH_AT = 8;
  private static final int LEADER_EPOCH_AT = 12;
  private static final int CRC_AT = 17;
  private static final int ATTRIBUTES_AT = 21;
  private static final int LAST_OFFSET_DELTA_AT = 23;
  private static final int BASE_TIMESTAMP_AT = 27;
  private static final int MAX_TIMESTAMP_AT = 35;
  private static final int PRODUCER_ID_AT = 43;
  private static final int PRODUCER_EPOCH_AT = 51;
  private static final int BASE_SEQUENCE_AT = 53;
  private static final int RECORD_COUNT_AT = 57;

  private static final int COMPRESSION_MASK = 0x07;
  private static final int LOG_APPEND_TIME_FLAG = 0x08;
  private static final int TRANSACTIONAL_FLAG = 0x10;
  private static final int CONTROL_FLAG = 0x20;

  private final CRC32C crc = new CRC32C();
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int at;

  /** Moves this view to the batch that begins at {@code position}, an absolute index. */
  public BatchHeader wrap(ByteBuffer newBuffer, int position) {
    buffer = newBuffer;
    at = position;
    return this;
  }

  /** Where the batch begins in its buffer. */
  public int position() {
    return at;
  }

  public long baseOffset() {
    return buffer.getLong(at);
  }

  /** The whole batch in bytes, header included; any value in a damaged batch. */
  public long sizeInBytes() {
    return (long) LENGTH_OVERHEAD + buffer.getInt(at + LENGTH_AT);
  }

  public int leaderEpoch() {
    return buffer.getInt(at + LEADER_EPOCH_AT);
  }

  public byte magic() {
    return buffer.get(at + MAGIC_AT);
  }

  public int lastOffsetDelta() {
    return buffer.getInt(at + LAST_OFFSET_DELTA_AT);
  }

  /** Offset of the last record, inclusive. */
  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  public long baseTimestampMs() {
    return buffer.getLong(at + BASE_TIMESTAMP_AT);
  }

  public long maxTimestampMs() {
    return buffer.getLong(at + MAX_TIMESTAMP_AT);
  }

  public long producerId() {
    return buffer.getLong(at + PRODUCER_ID_AT);
  }

  public boolean hasProducerId() {
    return producerId() >= 0;
  }

  public short producerEpoch() {
    return buffer.getShort(at + PRODUCER_EPOCH_AT);
  }

  public int baseSequence() {
    return buffer.getInt(at + BASE_SEQUENCE_AT);
  }

  /** Sequence of the last record; sequences go on at 0 after the largest int. */
  public int lastSequence() {
    int base = baseSequence();
    return base < 0 ? base : (base + lastOffsetDelta()) & Integer.MAX_VALUE;
  }

  public int recordCount() {
    return buffer.getInt(at + RECORD_COUNT_AT);
  }

  /** 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd; others are not defined. */
  public int compressionId() {
    return attributes() & COMPRESSION_MASK;
  }

  /** True when the broker's time stands in the max timestamp and holds for all records. */
  public boolean isLogAppendTime() {
    return (attributes() & LOG_APPEND_TIME_FLAG) != 0;
  }

  public boolean isTransactional() {
    return (attributes() & TRANSACTIONAL_FLAG) != 0;
  }

  public boolean isControl() {
    return (attributes() & CONTROL_FLAG) != 0;
  }

  private short attributes() {
    return buffer.getShort(at + ATTRIBUTES_AT);
  }

  public void setBaseOffset(long offset) {
    buffer.putLong(at, offset);
  }

  public void setLeaderEpoch(int epoch) {
    buffer.putInt(at + LEADER_EPOCH_AT, epoch);
  }

  /** Sets the max timestamp and who gave it, and the CRC that then holds, if anything changes. */
  public void setMaxTimestamp(boolean logAppendTime, long timestampMs) {
    if (isLogAppendTime() == logAppendTime && maxTimestampMs() == timestampMs) {
      return;
    }
    int attributes = attributes() & ~LOG_APPEND_TIME_FLAG;
    if (logAppendTime) {
      attributes |= LOG_APPEND_TIME_FLAG;
    }
    buffer.putShort(at + ATTRIBUTES_AT, (short) attributes);
    buffer.putLong(at + MAX_TIMESTAMP_AT, timestampMs);
    buffer.putInt(at + CRC_AT, computeCrc());
  }

  /** The stored CRC-32C. */
  public int crc() {
    return buffer.getInt(at + CRC_AT);
  }

  /** True when the stored CRC-32C matches the whole batch, which must lie in the buffer. */
  public boolean crcMatches() {
    return crc() == computeCrc();
  }

  private int computeCrc() {
    int position = buffer.position();
    int limit = buffer.limit();
    crc.reset();
    buffer.limit(at + (int) sizeInBytes()).position(at + CRC_COVERS_FROM);
    crc.update(buffer);
    buffer.limit(limit).position(position);
    return (int) crc.getValue();
  }

  @Override
  public String toString() {
    return "batch "
        + baseOffset()
        + "-"
        + lastOffset()
        + " (epoch "
        + leaderEpoch()
        + ", "
        + sizeInBytes()
        + " bytes)";
  }
}
