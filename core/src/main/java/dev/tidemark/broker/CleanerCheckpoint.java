package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.log.OffsetCheckpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Up to where the logs of a data folder were compacted, in a file of our own. Kafka's file names
 * topics by name alone; it would call the first records of a topic clean that was deleted and
 * created again, and then tombstones in them go and the values they delete stay. It is written for
 * Kafka's tools.
 *
 * <p>The file is a text like Kafka's: a version (0), the number of entries, then a line with topic
 * id, topic, partition and offset for each, and at last the CRC-32C of all that. Reading and
 * writing block.
 */
final class CleanerCheckpoint {
  static final String FILE = "tidemark-cleaner-checkpoint";

  private static final String VERSION = "0";

  private CleanerCheckpoint() {}

  /** Nothing when there is no file; throws {@link CorruptLog} when it is damaged. */
  static Map<LogId, Long> read(Directory folder) throws IOException {
    Map<LogId, Long> offsets = new LinkedHashMap<>();
    if (!folder.exists(FILE)) {
      return offsets;
    }
    String text = new String(folder.readAll(FILE), StandardCharsets.UTF_8);
    try {
      int end = text.lastIndexOf('\n', text.length() - 2) + 1;
      if (!text.substring(end).equals(crc(text.substring(0, end)))) {
        throw new IllegalArgumentException("its checksum does not match");
      }
      List<String> lines = text.substring(0, end).lines().toList();
      if (!lines.get(0).equals(VERSION)) {
        throw new IllegalArgumentException("it has version " + lines.get(0));
      }
      int count = Integer.parseInt(lines.get(1));
      for (String line : lines.subList(2, 2 + count)) {
        String[] words = line.split(" ", -1);
        LogId id = new LogId(words[1], Integer.parseInt(words[2]), Uuid.fromString(words[0]));
        offsets.put(id, Long.parseLong(words[3]));
      }
      return offsets;
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new CorruptLog("%s/%s is damaged: %s".formatted(folder.path(), FILE, e.getMessage()));
    }
  }

  private static String crc(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return "%08x\n".formatted(crc.getValue());
  }

  /** Replaces both files, ours first; after a power loss the old or the new one is there. */
  static void write(Directory folder, Map<LogId, Long> offsets) throws IOException {
    StringBuilder text = new StringBuilder(16 + 64 * offsets.size());
    text.append(VERSION).append('\n').append(offsets.size()).append('\n');
    Map<TopicPartition, Long> byName = new LinkedHashMap<>();
    offsets.forEach(
        (id, offset) -> {
          text.append(id.topicId()).append(' ').append(id.topic()).append(' ');
          text.append(id.partition()).append(' ').append((long) offset).append('\n');
          byName.put(new TopicPartition(id.topic(), id.partition()), offset);
        });
    text.append(crc(text.toString()));
    folder.writeAtomically(FILE, text.toString().getBytes(StandardCharsets.UTF_8));
    OffsetCheckpoint.write(folder, OffsetCheckpoint.CLEANER_OFFSETS, byName);
  }
}
