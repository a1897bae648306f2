package dev.tidemark.fault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;

/**
 * The log of one replica as its files say, of a node that has stopped.
 *
 * @param nodeId whose it is
 * @param bytes of all segments, one after the other
 */
record ReplicaFiles(int nodeId, ByteBuffer bytes) {
  static ReplicaFiles read(Node node, String topic, int partition) throws IOException {
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

  /** The keys of all records, by offset. */
  Map<Long, String> keys() {
    Map<Long, String> keys = new TreeMap<>();
    for (Record record : MemoryRecords.readableRecords(bytes.duplicate()).records()) {
      String before =
          keys.put(record.offset(), StandardCharsets.UTF_8.decode(record.key()).toString());
      if (before != null) {
        throw new AssertionError(
            "node %d has two records at offset %d".formatted(nodeId, record.offset()));
      }
    }
    return keys;
  }
}
