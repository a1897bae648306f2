package dev.tidemark.replica;

import dev.tidemark.env.FileSlice;
import dev.tidemark.log.LogRead;
import dev.tidemark.log.PartitionLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/** A record that was read from a log. */
public record StoredRecord(long offset, int epoch, String value) {
  /** All records of a log below an offset. */
  public static List<StoredRecord> below(PartitionLog log, long endOffset) {
    return in(bytes(log, endOffset));
  }

  /** All records in these batches. */
  public static List<StoredRecord> in(ByteBuffer batches) {
    List<StoredRecord> records = new ArrayList<>();
    for (RecordBatch batch : MemoryRecords.readableRecords(batches).batches()) {
      for (Record record : batch) {
        ByteBuffer value = record.value();
        records.add(
            new StoredRecord(
                record.offset(),
                batch.partitionLeaderEpoch(),
                StandardCharsets.UTF_8.decode(value).toString()));
      }
    }
    return records;
  }

  /** The bytes of all batches of a log from its start up to an offset. */
  public static ByteBuffer bytes(PartitionLog log, long endOffset) {
    return bytes(log, log.logStartOffset(), endOffset);
  }

  public static ByteBuffer bytes(PartitionLog log, long startOffset, long endOffset) {
    ByteBuffer all = ByteBuffer.allocate(1 << 20);
    try {
      long next = startOffset;
      while (next < endOffset) {
        LogRead read = log.read(next, 1 << 16, true, endOffset);
        FileSlice slice = read.slice();
        if (slice == null) {
          break;
        }
        all.put(bytes(slice));
        next = read.nextOffset();
      }
    } catch (Exception e) {
      throw new AssertionError(log.id() + " cannot be read", e);
    }
    return all.flip();
  }

  /** The bytes of a slice, which is released. */
  public static ByteBuffer bytes(FileSlice slice) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(slice.length());
    slice.read(bytes, 0);
    slice.release();
    return bytes.flip();
  }

  /** As in "(1,x)". */
  @Override
  public String toString() {
    return "(" + epoch + "," + value + ")";
  }
}
