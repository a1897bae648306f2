package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * A file of one offset for each partition, in Kafka's text format: a version (0), the number of
 * entries, then a line with topic, partition and offset for each. They are written for Kafka's
 * tools; the broker itself does not read them. Writing blocks.
 */
public final class OffsetCheckpoint {
  public static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";
  public static final String LOG_START_OFFSETS = "log-start-offset-checkpoint";
  public static final String HIGH_WATERMARKS = "replication-offset-checkpoint";

  private static final String VERSION = "0";

  private OffsetCheckpoint() {}

  /** Replaces the file; after a power loss the old or the new one is there. */
  public static void write(Directory folder, String name, Map<TopicPartition, Long> offsets)
      throws IOException {
    StringBuilder text = new StringBuilder(16 + 32 * offsets.size());
    text.append(VERSION).append('\n').append(offsets.size()).append('\n');
    offsets.forEach(
        (partition, offset) ->
            text.append(partition.topic())
                .append(' ')
                .append(partition.partition())
                .append(' ')
                .append((long) offset)
                .append('\n'));
    folder.writeAtomically(name, text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
