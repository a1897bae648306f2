package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads whose folder a partition folder is, from Kafka's {@code partition.metadata}. */
final class FoundTopicId {
  private static final Logger LOG = LoggerFactory.getLogger(FoundTopicId.class);
  private static final String FILE = "partition.metadata";
  private static final String PREFIX = "topic_id: ";

  private FoundTopicId() {}

  /** Null when there is no such file, or nothing in it that can be read. */
  static @Nullable Uuid read(Directory partitionFolder) {
    try {
      if (!partitionFolder.exists(FILE)) {
        return null;
      }
      String text = new String(partitionFolder.readAll(FILE), StandardCharsets.UTF_8);
      for (String line : text.split("\n", -1)) {
        if (line.startsWith(PREFIX)) {
          return Uuid.fromString(line.substring(PREFIX.length()).trim());
        }
      }
      return null;
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("{}/{} cannot be read: {}", partitionFolder.path(), FILE, e.getMessage());
      return null;
    }
  }
}
