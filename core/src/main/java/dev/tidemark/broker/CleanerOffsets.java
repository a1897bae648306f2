package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.log.LogId;
import dev.tidemark.log.OffsetCheckpoint;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the dirty section of each log begins that was compacted once. */
final class CleanerOffsets {
  private static final Logger LOG = LoggerFactory.getLogger(CleanerOffsets.class);

  /** What the run before knew, which did not note topic ids: each counts for one log only. */
  private final Map<TopicPartition, Long> before = new HashMap<>();

  private final Map<LogId, Long> now = new HashMap<>();

  /** Reads what the folders know; blocks. A file that is damaged costs one compaction. */
  static Map<TopicPartition, Long> read(List<Directory> folders) {
    Map<TopicPartition, Long> all = new HashMap<>();
    for (Directory folder : folders) {
      try {
        all.putAll(OffsetCheckpoint.read(folder, OffsetCheckpoint.CLEANER_OFFSETS));
      } catch (IOException e) {
        LOG.warn("{}; its logs are compacted from their start", e.getMessage());
      }
    }
    return all;
  }

  void startWith(Map<TopicPartition, Long> read) {
    before.putAll(read);
  }

  /** -1 when the log was never compacted. */
  long firstDirty(LogId id) {
    Long known = now.get(id);
    if (known == null) {
      known = before.remove(new TopicPartition(id.topic(), id.partition()));
      now.put(id, known == null ? -1L : known);
    }
    return known == null ? -1 : known;
  }

  void cleaned(LogId id, long endOffset) {
    now.put(id, endOffset);
  }

  /** What to write down of a folder; logs that are no more are forgotten. */
  Map<TopicPartition, Long> of(DataFolder folder, Partitions partitions) {
    now.keySet()
        .removeIf(
            id ->
                !partitions.isOffline(id) && partitions.find(id.topicId(), id.partition()) == null);
    Map<TopicPartition, Long> offsets =
        new TreeMap<>(
            Comparator.comparing(TopicPartition::topic)
                .thenComparingInt(TopicPartition::partition));
    now.forEach(
        (id, offset) -> {
          if (offset >= 0 && folder.holds(id)) {
            offsets.put(new TopicPartition(id.topic(), id.partition()), offset);
          }
        });
    return offsets;
  }
}
