package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * A file of one offset for each partition, in Kafka's text format: a version (0), the number of
 * entries, then a line with topic, partition and offset for each. They are written for Kafka's
 * tools; the broker itself does not read them. Reading and writing block.
 */
public final class OffsetCheckpoint {
  public static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";
  public static final String LOG_START_OFFSETS = "log-start-offset-checkpoint";
  public static final String HIGH_WATERMARKS = "replication-offset-checkpoint";

  public static final String CLEANER_OFFSETS = "cleaner-offset-checkpoint";

  private static final String VERSION = "0";

  private OffsetCheckpoint() {}

  /**
   * Reads a file; nothing when there is none.
   *
   * @throws CorruptLog when it is damaged
   */
  public static Map<TopicPartition, Long> read(Directory folder, String name) throws IOException {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    if (!folder.exists(name)) {
      return offsets;
    }
    String[] lines = new String(folder.readAll(name), StandardCharsets.UTF_8).split("\n", -1);
    try {
      if (!lines[0].equals(VERSION)) {
        throw new NumberFormatException("it has version " + lines[0]);
      }
      int count = Integer.parseInt(lines[1]);
      for (int i = 2; i < 2 + count; i++) {
        String[] words = lines[i].split(" ", -1);
        offsets.put(
            new TopicPartition(words[0], Integer.parseInt(words[1])), Long.parseLong(words[2]));
      }
      return offsets;
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new CorruptLog("%s/%s is damaged: %s".formatted(folder.path(), name, e.getMessage()));
    }
  }

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
