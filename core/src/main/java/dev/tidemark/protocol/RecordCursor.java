package dev.tidemark.protocol;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of one batch and checks their structure, keeping nothing of keys and values. An
 * uncompressed batch is walked where it lies; a compressed one passes through a small window, so
 * that memory stays bounded however far it inflates. Nothing is allocated per record.
 */
final class RecordCursor implements AutoCloseable {
  private static final int WINDOW_BYTES = 8192;
  private static final int MAX_VARINT_SHIFT = 28;
  private static final int MAX_VARLONG_SHIFT = 63;

  private final ByteBuffer window;
  private final int compressionId;
  private final @Nullable ByteBuffer payload;
  private final long maxInflatedBytes;
  private @Nullable InputStream inflated;
  private int at;
  private int end;
  private long consumedBefore;
  private @Nullable String fault;
  private boolean inflatesTooFar;

  private boolean hasKey;
  private int keySize;
  private long timestampDelta;
  private int offsetDelta;

  private RecordCursor(
      ByteBuffer window,
      int at,
      int end,
      int compressionId,
      @Nullable ByteBuffer payload,
      long maxInflatedBytes) {
    this.maxInflatedBytes = maxInflatedBytes;
    this.window = window;
    this.at = at;
    this.end = end;
    this.compressionId = compressionId;
    this.payload = payload;
    this.consumedBefore = -at;
  }

  /** A walk over the batch under {@code header}, which lies wholly in {@code buffer}. */
  static RecordCursor over(ByteBuffer buffer, BatchHeader header) {
    return over(buffer, header, InflationBudget.MAX_OF_BATCH);
  }

  /** The same, which fails when the records are compressed and become more than that. */
  static RecordCursor over(ByteBuffer buffer, BatchHeader header, long maxInflatedBytes) {
    int start = header.position() + BatchHeader.SIZE;
    int end = header.position() + (int) header.sizeInBytes();
    if (header.compressionId() == 0) {
      return new RecordCursor(buffer, start, end, 0, null, 0);
    }
    ByteBuffer payload = buffer.duplicate().limit(end).position(start).slice();
    return new RecordCursor(
        ByteBuffer.allocate(WINDOW_BYTES), 0, 0, header.compressionId(), payload, maxInflatedBytes);
  }

  /** Goes on to the next record; false when it is not well formed, see {@link #fault}. */
  boolean next() {
    try {
      return readRecord();
    } catch (IOException | KafkaException e) {
      return fail("its records cannot be decompressed: " + e.getMessage());
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      return fail("its records cannot be decompressed: " + e);
    }
  }

  private boolean readRecord() throws IOException {
    int length = readVarint();
    if (fault != null) {
      return false;
    }
    if (length < 0) {
      return fail("a record states the length " + length);
    }
    long start = consumed();
    readByte(); // attributes: none are defined
    timestampDelta = readVarlong();
    offsetDelta = readVarint();
    keySize = readVarint();
    hasKey = keySize >= 0;
    skip(keySize, -1, "key");
    skip(readVarint(), -1, "value");
    int headers = readVarint();
    if (fault == null && (headers < 0 || headers > length)) {
      return fail("a record states " + headers + " headers");
    }
    for (int i = 0; i < headers && fault == null; i++) {
      skip(readVarint(), 0, "header key");
      skip(readVarint(), -1, "header value");
    }
    if (fault == null && consumed() - start != length) {
      fail("a record states " + length + " bytes but has " + (consumed() - start));
    }
    return fault == null;
  }

  private void skip(int size, int smallest, String what) throws IOException {
    if (fault != null) {
      return;
    }
    if (size < smallest) {
      fail("a record states the " + what + " length " + size);
      return;
    }
    int left = Math.max(size, 0);
    while (left > end - at) {
      left -= end - at;
      at = end;
      if (!refill()) {
        fail("a record's " + what + " goes beyond the batch");
        return;
      }
    }
    at += left;
  }

  /** True when no byte is left after the last record. */
  boolean atEnd() {
    try {
      return at == end && !refill();
    } catch (IOException
        | KafkaException
        | IndexOutOfBoundsException
        | IllegalArgumentException e) {
      fail("its records cannot be decompressed: " + e.getMessage());
      return false;
    }
  }

  private @Nullable InputStream stream() throws IOException {
    if (inflated == null && payload != null) {
      if (compressionId == Codecs.SNAPPY_ID && !SnappyLengths.arePossible(payload)) {
        throw new IOException("a snappy block claims an impossible size");
      }
      inflated = Codecs.inflate(compressionId, payload);
    }
    return inflated;
  }

  private boolean refill() throws IOException {
    InputStream stream = stream();
    if (stream == null) {
      return false;
    }
    consumedBefore += at;
    at = 0;
    end = 0;
    if (consumedBefore >= maxInflatedBytes) {
      inflatesTooFar = true;
      fail("its records inflate to more than " + maxInflatedBytes + " bytes");
      return false;
    }
    int read = stream.read(window.array(), window.arrayOffset(), WINDOW_BYTES);
    end = Math.max(read, 0);
    return read > 0;
  }

  private long consumed() {
    return consumedBefore + at;
  }

  private int readByte() throws IOException {
    if (at == end && !refill()) {
      if (fault == null) {
        fail("its records end in the middle of one");
      }
      return 0;
    }
    return window.get(at++);
  }

  private int readVarint() throws IOException {
    int b = readByte();
    int raw = b & 0x7f;
    for (int shift = 7; b < 0; shift += 7) {
      if (shift > MAX_VARINT_SHIFT) {
        fail("a number of a record has more than five bytes");
        return 0;
      }
      b = readByte();
      raw |= (b & 0x7f) << shift;
    }
    return (raw >>> 1) ^ -(raw & 1);
  }

  private long readVarlong() throws IOException {
    int b = readByte();
    long raw = b & 0x7f;
    for (int shift = 7; b < 0; shift += 7) {
      if (shift > MAX_VARLONG_SHIFT) {
        fail("a number of a record has more than ten bytes");
        return 0;
      }
      b = readByte();
      raw |= (long) (b & 0x7f) << shift;
    }
    return (raw >>> 1) ^ -(raw & 1);
  }

  private boolean fail(String what) {
    if (fault == null) {
      fault = what;
    }
    return false;
  }

  /** What is wrong with the batch, or null. */
  @Nullable String fault() {
    return fault;
  }

  /** True when the limit was reached: the records may be good or not. */
  boolean inflatesTooFar() {
    return inflatesTooFar;
  }

  /** So much was decompressed so far; 0 when nothing is compressed. */
  long inflatedBytes() {
    return payload == null ? 0 : consumedBefore + end;
  }

  boolean hasKey() {
    return hasKey;
  }

  long timestampDelta() {
    return timestampDelta;
  }

  int offsetDelta() {
    return offsetDelta;
  }

  @Override
  public void close() {
    if (inflated != null) {
      Codecs.close(inflated);
    }
  }
}
