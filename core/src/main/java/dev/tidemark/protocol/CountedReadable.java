package dev.tidemark.protocol;

import java.nio.ByteBuffer;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Readable;

/**
 * Reads a large request and counts its fields. A field that takes one byte of a request takes some
 * dozens in memory, and many more in the answer, so the number of fields is bounded as well as the
 * size. Announced lengths of arrays are held against what is left of the number.
 */
final class CountedReadable implements Readable {
  /** Smaller requests cannot hold enough fields to matter. */
  static final int FROM_BYTES = 256 << 10;

  /** A fetch of 100,000 partitions has 900,000. */
  static final int MAX_FIELDS = 1_500_000;

  private final ByteBufferAccessor bytes;
  private int left = MAX_FIELDS;

  CountedReadable(ByteBuffer buffer) {
    this.bytes = new ByteBufferAccessor(buffer);
  }

  private void count() {
    if (--left < 0) {
      throw new InvalidRequestException(
          "the request has more than " + MAX_FIELDS + " fields; send several requests");
    }
  }

  @Override
  public byte readByte() {
    count();
    return bytes.readByte();
  }

  @Override
  public short readShort() {
    count();
    return bytes.readShort();
  }

  @Override
  public int readInt() {
    count();
    return bytes.readInt();
  }

  @Override
  public long readLong() {
    count();
    return bytes.readLong();
  }

  @Override
  public double readDouble() {
    count();
    return bytes.readDouble();
  }

  @Override
  public byte[] readArray(int length) {
    count();
    return bytes.readArray(length);
  }

  @Override
  public int readUnsignedVarint() {
    count();
    return bytes.readUnsignedVarint();
  }

  @Override
  public ByteBuffer readByteBuffer(int length) {
    count();
    return bytes.readByteBuffer(length);
  }

  @Override
  public int readVarint() {
    count();
    return bytes.readVarint();
  }

  @Override
  public long readVarlong() {
    count();
    return bytes.readVarlong();
  }

  /** Generated readers compare the length of an array with it before they make room. */
  @Override
  public int remaining() {
    return Math.min(bytes.remaining(), left);
  }

  @Override
  public Readable slice() {
    return bytes.slice();
  }
}
