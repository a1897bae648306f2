package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * What a data folder knew of its partitions when it was last written down, in one file of our own.
 * Kafka's three checkpoint files hold the same for its tools, but name topics by name alone: after
 * a topic was deleted and created again they would speak of the old one. Here an entry counts only
 * for the topic id it was written for, and all entries are of one moment.
 */
final class KnownOffsets {
  static final String FILE = "tidemark-checkpoint";

  private static final String VERSION = "0";
  private static final int FIELDS = 6;

  private final Map<String, Entry> entries = new TreeMap<>();

  /**
   * One partition.
   *
   * @param recoveryPoint every offset below it was synced
   * @param logStartOffset the lowest offset that may be read
   * @param highWatermark exclusive
   */
  record Entry(LogId id, long recoveryPoint, long logStartOffset, long highWatermark) {}

  /** Nothing when there is no file; throws {@link CorruptLog} when it is damaged. */
  static KnownOffsets read(Directory folder) throws IOException {
    KnownOffsets known = new KnownOffsets();
    if (!folder.exists(FILE)) {
      return known;
    }
    String[] lines = new String(folder.readAll(FILE), StandardCharsets.UTF_8).split("\n", -1);
    try {
      if (!lines[0].equals(VERSION)) {
        throw new CorruptLog("%s/%s has version %s".formatted(folder.path(), FILE, lines[0]));
      }
      int count = Integer.parseInt(lines[1]);
      for (int i = 0; i < count; i++) {
        known.put(parse(lines[2 + i]));
      }
      return known;
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new CorruptLog("%s/%s is damaged: %s".formatted(folder.path(), FILE, e.getMessage()));
    }
  }

  private static Entry parse(String line) {
    String[] fields = line.split(" ", -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException("a line has " + fields.length + " fields");
    }
    LogId id = new LogId(fields[0], Integer.parseInt(fields[1]), Uuid.fromString(fields[2]));
    return new Entry(
        id, Long.parseLong(fields[3]), Long.parseLong(fields[4]), Long.parseLong(fields[5]));
  }

  /** Replaces the file; after a power loss the old or the new one is there. Blocks. */
  void write(Directory folder) throws IOException {
    StringBuilder text = new StringBuilder(16 + 64 * entries.size());
    text.append(VERSION).append('\n').append(entries.size()).append('\n');
    for (Entry entry : entries.values()) {
      text.append(entry.id().topic())
          .append(' ')
          .append(entry.id().partition())
          .append(' ')
          .append(entry.id().topicId())
          .append(' ')
          .append(entry.recoveryPoint())
          .append(' ')
          .append(entry.logStartOffset())
          .append(' ')
          .append(entry.highWatermark())
          .append('\n');
    }
    folder.writeAtomically(FILE, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  void put(Entry entry) {
    entries.put(entry.id().folderName(), entry);
  }

  /** What is known of exactly this partition of exactly this topic, or null. */
  @Nullable Entry of(LogId id) {
    Entry entry = entries.get(id.folderName());
    return entry != null && entry.id().topicId().equals(id.topicId()) ? entry : null;
  }

  /** By folder name. */
  Iterable<Entry> all() {
    return entries.values();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KnownOffsets known && known.entries.equals(entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }
}
