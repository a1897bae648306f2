package dev.tidemark.log;

import dev.tidemark.env.LogFile;
import dev.tidemark.protocol.BatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads runs of whole batches, checked, into one buffer that grows with the largest batch. */
final class BatchReader {
  private final BatchHeader header = new BatchHeader();
  private ByteBuffer buffer;

  BatchReader(int bufferBytes) {
    this.buffer = ByteBuffer.allocate(Math.max(bufferBytes, BatchHeader.SIZE));
  }

  /**
   * The whole batches from {@code position} on, at least one; from 0 to the buffer's limit, valid
   * until the next call.
   *
   * @throws CorruptLog when a batch is damaged
   */
  ByteBuffer read(LogFile file, int position, CleaningPlan.Source source) throws IOException {
    int end = source.size();
    fill(file, position, end);
    int whole = wholeBatches(file, position, source);
    if (whole == 0) {
      header.wrap(buffer, 0);
      buffer = ByteBuffer.allocate((int) header.sizeInBytes());
      fill(file, position, end);
      whole = wholeBatches(file, position, source);
    }
    return buffer.limit(whole).position(0);
  }

  private void fill(LogFile file, int position, int end) throws IOException {
    buffer.clear().limit(Math.min(buffer.capacity(), end - position));
    int wanted = buffer.limit();
    if (file.read(buffer, position) != wanted) {
      throw new IOException(file.path() + " is shorter than " + end + " bytes");
    }
    buffer.flip();
  }

  /** The CRC does not cover a batch's offset, so that is checked against the segment's. */
  private int wholeBatches(LogFile file, int position, CleaningPlan.Source source)
      throws CorruptLog {
    int at = 0;
    while (buffer.limit() - at >= BatchHeader.SIZE) {
      header.wrap(buffer, at);
      long size = header.sizeInBytes();
      if (size < BatchHeader.SIZE
          || header.magic() != BatchHeader.MAGIC_V2
          || size > source.size() - position - (long) at
          || header.lastOffsetDelta() < 0
          || header.baseOffset() < source.baseOffset()
          || header.lastOffset() >= source.endOffset()) {
        throw damaged(file, position + at);
      }
      if (size > buffer.limit() - at) {
        return at;
      }
      if (!header.crcMatches()) {
        throw damaged(file, position + at);
      }
      at += (int) size;
    }
    return at;
  }

  private static CorruptLog damaged(LogFile file, int position) {
    return new CorruptLog(
        "%s is damaged at position %d; restore the partition from a copy"
            .formatted(file.path(), position));
  }
}
