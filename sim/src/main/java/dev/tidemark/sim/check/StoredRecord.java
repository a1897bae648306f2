package dev.tidemark.sim.check;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * A record as it is stored.
 *
 * @param key as its writer named it: the writer, a dash, a number that only grows
 * @param from who wrote it, for messages
 */
public record StoredRecord(long offset, String key, String from) {
  /** All records of a log's bytes, in their order. */
  public static List<StoredRecord> of(ByteBuffer log) {
    List<StoredRecord> records = new ArrayList<>();
    for (RecordBatch batch : MemoryRecords.readableRecords(log.duplicate()).batches()) {
      String from =
          "leader epoch %d, producer %d epoch %d, batch from sequence %d"
              .formatted(
                  batch.partitionLeaderEpoch(),
                  batch.producerId(),
                  batch.producerEpoch(),
                  batch.baseSequence());
      for (Record record : batch) {
        String key = StandardCharsets.UTF_8.decode(record.key()).toString();
        records.add(new StoredRecord(record.offset(), key, from));
      }
    }
    return records;
  }
}
