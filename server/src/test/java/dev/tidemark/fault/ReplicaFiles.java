package dev.tidemark.fault;

import dev.tidemark.process.NodeUnderTest;
import dev.tidemark.sim.check.StoredRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

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

  /** All records, in their order. */
  List<StoredRecord> records() {
    return StoredRecord.of(bytes);
  }
}
