package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSummary;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * What a data folder knew of its partitions when it was last written down, in one file of our own.
 * Kafka's three checkpoint files hold offsets for its tools, but name topics by name alone: after a
 * topic was deleted and created again they would speak of the old one. Here an entry counts only
 * for the topic id it was written for, and all entries are of one moment.
 *
 * <p>The file: a version, the boot id of the kernel, the number of entries, the entries, and the
 * CRC-32C of all that. Numbers are big-endian; texts have a length of 2 bytes and are UTF-8.
 */
final class KnownOffsets {
  static final String FILE = "tidemark-checkpoint";

  private static final int VERSION = 1;
  private static final int MAX_TEXT_BYTES = 512;

  private final String bootId;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /**
   * {@code bootId}: the run of the kernel under which this was known; empty if it cannot be told.
   */
  KnownOffsets(String bootId) {
    this.bootId = bootId;
  }

  /**
   * One partition.
   *
   * @param recoveryPoint every offset below it was synced
   * @param logStartOffset the lowest offset that may be read
   * @param highWatermark exclusive
   * @param summary what spares a look at the files, if they are as they were
   */
  record Entry(
      LogId id,
      long recoveryPoint,
      long logStartOffset,
      long highWatermark,
      @Nullable LogSummary summary) {

    /** One whose next opening has to look at the files. */
    Entry(LogId id, long recoveryPoint, long logStartOffset, long highWatermark) {
      this(id, recoveryPoint, logStartOffset, highWatermark, null);
    }

    /** The same, but the next opening has to look at the files. */
    Entry withoutSummary() {
      return new Entry(id, recoveryPoint, logStartOffset, highWatermark);
    }
  }

  String bootId() {
    return bootId;
  }

  /** Nothing when there is no file; throws {@link CorruptLog} when it is damaged. */
  static KnownOffsets read(Directory folder) throws IOException {
    if (!folder.exists(FILE)) {
      return new KnownOffsets("");
    }
    ByteBuffer file = ByteBuffer.wrap(folder.readAll(FILE));
    try {
      if (file.getInt() != VERSION) {
        throw new IllegalArgumentException("it is of another version");
      }
      int end = file.limit() - Integer.BYTES;
      if (file.getInt(end) != crc(file, end)) {
        throw new IllegalArgumentException("its checksum does not match");
      }
      return parse(file.limit(end));
    } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
      throw new CorruptLog("%s/%s is damaged: it is cut off".formatted(folder.path(), FILE));
    } catch (IllegalArgumentException e) {
      throw new CorruptLog("%s/%s is damaged: %s".formatted(folder.path(), FILE, e.getMessage()));
    }
  }

  private static KnownOffsets parse(ByteBuffer file) {
    KnownOffsets known = new KnownOffsets(text(file));
    int count = file.getInt();
    String topic = "";
    for (int i = 0; i < count; i++) {
      String next = text(file);
      topic = next.equals(topic) ? topic : next; // one object for all partitions of a topic
      LogId id = new LogId(topic, file.getInt(), new Uuid(file.getLong(), file.getLong()));
      long recoveryPoint = file.getLong();
      long logStartOffset = file.getLong();
      long highWatermark = file.getLong();
      LogSummary summary = file.get() == 0 ? null : LogSummary.read(file);
      known.put(new Entry(id, recoveryPoint, logStartOffset, highWatermark, summary));
    }
    return known;
  }

  private static String text(ByteBuffer file) {
    byte[] bytes = new byte[file.getShort()];
    file.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static int crc(ByteBuffer file, int end) {
    CRC32C crc = new CRC32C();
    crc.update(file.duplicate().limit(end).position(0));
    return (int) crc.getValue();
  }

  /** Replaces the file; after a power loss the old or the new one is there. Blocks. */
  void write(Directory folder) throws IOException {
    int bytes = 2 * MAX_TEXT_BYTES;
    for (Entry entry : entries.values()) {
      LogSummary summary = entry.summary();
      bytes += MAX_TEXT_BYTES + (summary == null ? 0 : summary.sizeInBytes());
    }
    ByteBuffer file = ByteBuffer.allocate(bytes).putInt(VERSION);
    putText(file, bootId);
    file.putInt(entries.size());
    for (Entry entry : entries.values()) {
      write(entry, file);
    }
    file.putInt(crc(file, file.position()));
    byte[] content = new byte[file.flip().remaining()];
    file.get(content);
    folder.writeAtomically(FILE, content);
  }

  private static void write(Entry entry, ByteBuffer file) {
    putText(file, entry.id().topic());
    file.putInt(entry.id().partition());
    Uuid topicId = entry.id().topicId();
    file.putLong(topicId.getMostSignificantBits()).putLong(topicId.getLeastSignificantBits());
    file.putLong(entry.recoveryPoint());
    file.putLong(entry.logStartOffset());
    file.putLong(entry.highWatermark());
    LogSummary summary = entry.summary();
    file.put((byte) (summary == null ? 0 : 1));
    if (summary != null) {
      summary.write(file);
    }
  }

  private static void putText(ByteBuffer file, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    file.putShort((short) bytes.length).put(bytes);
  }

  void put(Entry entry) {
    entries.put(entry.id().folderName(), entry);
  }

  /** Forgets a partition; of another topic with its name nothing is forgotten. */
  void remove(LogId id) {
    if (of(id) != null) {
      entries.remove(id.folderName());
    }
  }

  /** What is known of exactly this partition of exactly this topic, or null. */
  @Nullable Entry of(LogId id) {
    Entry entry = entries.get(id.folderName());
    return entry != null && entry.id().topicId().equals(id.topicId()) ? entry : null;
  }

  /** Whether a folder of this name was one of a partition. */
  boolean hasFolder(String name) {
    return entries.containsKey(name);
  }

  /** Forgets what is not needed any more. */
  void keepOnly(Predicate<LogId> needed) {
    entries.values().removeIf(entry -> !needed.test(entry.id()));
  }

  /** In the order in which they came. */
  Iterable<Entry> all() {
    return entries.values();
  }
}
