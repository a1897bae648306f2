package dev.tidemark.fault;

import dev.tidemark.process.NodeUnderTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * The log of one replica as its files say, of a node that has stopped.
 *
 * @param nodeId whose it is
 * @param bytes of all segments, one after the other
 */
record ReplicaFiles(int nodeId, ByteBuffer bytes) {
  static ReplicaFiles read(NodeUnderTest node, String topic, int partition) throws IOException {
    Path folder = node.dataFolder().resolve(topic + "-" + partition);
    List<Path> segments;
    try (Stream<Path> files = Files.list(folder)) {
      segments = files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
    long size = 0;
    for (Path segment : segments) {
      size += Files.size(segment);
    }
    ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(size));
    for (Path segment : segments) {
      all.put(Files.readAllBytes(segment));
    }
    return new ReplicaFiles(node.id(), all.flip());
  }

  /**
   * A record as it is stored.
   *
   * @param from who wrote it, for messages
   */
  record Stored(long offset, String key, String from) {}

  /** All records, in their order. */
  List<Stored> records() {
    List<Stored> records = new ArrayList<>();
    for (RecordBatch batch : MemoryRecords.readableRecords(bytes.duplicate()).batches()) {
      String from =
          "leader epoch %d, producer %d epoch %d, batch from sequence %d"
              .formatted(
                  batch.partitionLeaderEpoch(),
                  batch.producerId(),
                  batch.producerEpoch(),
                  batch.baseSequence());
      for (Record record : batch) {
        String key = StandardCharsets.UTF_8.decode(record.key()).toString();
        records.add(new Stored(record.offset(), key, from));
      }
    }
    return records;
  }
}
