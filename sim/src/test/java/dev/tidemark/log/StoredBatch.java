package dev.tidemark.log;

import dev.tidemark.protocol.BatchHeader;
import dev.tidemark.protocol.BatchRecords;
import dev.tidemark.protocol.BatchRecords.EndMarker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A batch that was read from a log. */
record StoredBatch(
    long baseOffset,
    long lastOffset,
    int epoch,
    long producerId,
    int producerEpoch,
    int lastSequence,
    boolean transactional,
    boolean control,
    ByteBuffer bytes) {

  static StoredBatch at(ByteBuffer buffer, int position) {
    BatchHeader header = new BatchHeader().wrap(buffer, position);
    byte[] bytes = new byte[(int) header.sizeInBytes()];
    buffer.duplicate().position(position).get(bytes);
    return new StoredBatch(
        header.baseOffset(),
        header.lastOffset(),
        header.leaderEpoch(),
        header.producerId(),
        header.producerEpoch(),
        header.lastSequence(),
        header.isTransactional(),
        header.isControl(),
        ByteBuffer.wrap(bytes).asReadOnlyBuffer());
  }

  static List<StoredBatch> allIn(ByteBuffer buffer) {
    List<StoredBatch> batches = new ArrayList<>();
    int at = buffer.position();
    while (at < buffer.limit()) {
      StoredBatch batch = at(buffer, at);
      batches.add(batch);
      at += batch.bytes().remaining();
    }
    return batches;
  }

  /** All batches from an offset to the end, read in pieces of some bytes. */
  static List<StoredBatch> read(PartitionLog log, long from, int maxBytes) throws Exception {
    List<StoredBatch> batches = new ArrayList<>();
    long offset = from;
    while (offset < log.logEndOffset()) {
      LogRead read = log.read(offset, maxBytes, true, log.logEndOffset());
      ByteBuffer bytes = ByteBuffer.allocate(read.length());
      Objects.requireNonNull(read.slice()).read(bytes, 0);
      read.slice().release();
      batches.addAll(allIn(bytes.flip()));
      offset = read.nextOffset();
    }
    return batches;
  }

  /** True for an abort marker, in a control batch. */
  boolean isAbort() {
    EndMarker marker = BatchRecords.endMarker(bytes, 0);
    return marker != null && !marker.commit();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoredBatch batch && bytes.equals(batch.bytes);
  }

  @Override
  public int hashCode() {
    return bytes.hashCode();
  }

  @Override
  public String toString() {
    return baseOffset + "-" + lastOffset + "@e" + epoch + "p" + producerId + ":" + lastSequence;
  }
}
