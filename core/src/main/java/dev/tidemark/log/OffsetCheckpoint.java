package dev.tidemark.log;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * A file of one offset for each partition, in Kafka's text format: a version (0), the number of
 * entries, then a line with topic, partition and offset for each. Reading and writing block.
 */
public final class OffsetCheckpoint {
  public static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";
  public static final String LOG_START_OFFSETS = "log-start-offset-checkpoint";
  public static final String HIGH_WATERMARKS = "replication-offset-checkpoint";

  private static final String VERSION = "0";

  private OffsetCheckpoint() {}

  /**
   * The offsets in the file; none if there is no file.
   *
   * @throws IOException if the file cannot be read or is not in the format
   */
  public static Map<String, Long> read(Directory folder, String name) throws IOException {
    Map<String, Long> offsets = new TreeMap<>();
    if (!folder.exists(name)) {
      return offsets;
    }
    String[] lines = new String(folder.readAll(name), StandardCharsets.UTF_8).split("\n", -1);
    try {
      if (!lines[0].trim().equals(VERSION)) {
        throw new CorruptLog("%s/%s has version %s".formatted(folder.path(), name, lines[0]));
      }
      int count = Integer.parseInt(lines[1].trim());
      for (int i = 0; i < count; i++) {
        String[] fields = lines[2 + i].trim().split(" +", -1);
        offsets.put(key(fields[0], Integer.parseInt(fields[1])), Long.parseLong(fields[2]));
      }
      return offsets;
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
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

  /** How partitions are named in what {@link #read} returns: as their folders are. */
  public static String key(String topic, int partition) {
    return topic + "-" + partition;
  }
}
