package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.HostedReplica;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the dirty section of each log begins that was compacted once. A log itself knows it as long
 * as it is open, since it knows when it is cut; here is what the run before has left of it, and
 * what is to be written down.
 */
final class CleanerOffsets {
  private static final Logger LOG = LoggerFactory.getLogger(CleanerOffsets.class);

  /** As last seen. */
  private final Map<LogId, Long> last = new HashMap<>();

  /** Logs that were not told yet what the run before has left. */
  private final Set<LogId> untold = new HashSet<>();

  /** Reads what each folder knows, by its path; blocks. A damaged file costs one compaction. */
  static Map<String, Map<LogId, Long>> read(List<Directory> folders) {
    Map<String, Map<LogId, Long>> all = new HashMap<>();
    for (Directory folder : folders) {
      try {
        all.put(folder.path(), CleanerCheckpoint.read(folder));
      } catch (IOException e) {
        LOG.warn("{}; its logs are compacted from their start", e.getMessage());
      }
    }
    return all;
  }

  /** What a folder knows of a log that it no longer has says nothing about the log elsewhere. */
  void startWith(Map<String, Map<LogId, Long>> read, List<DataFolder> folders) {
    for (DataFolder folder : folders) {
      read.getOrDefault(folder.directory().path(), Map.of())
          .forEach(
              (id, offset) -> {
                if (folder.holds(id)) {
                  last.put(id, offset);
                  untold.add(id);
                }
              });
    }
  }

  /** -1 when the log was never compacted. */
  long firstDirty(PartitionLog log) {
    Long left = untold.remove(log.id()) ? last.get(log.id()) : null;
    if (left != null) {
      log.noteCompacted(left);
    }
    return log.cleanEndOffset();
  }

  void cleaned(PartitionLog log, long endOffset) {
    log.noteCompacted(endOffset);
    last.put(log.id(), log.cleanEndOffset());
  }

  /** What to write down of a folder; logs that are no more are forgotten. */
  Map<LogId, Long> of(DataFolder folder, Partitions partitions) {
    Map<LogId, Long> offsets =
        new TreeMap<>(
            Comparator.comparing(LogId::topic)
                .thenComparingInt(LogId::partition)
                .thenComparing(LogId::topicId));
    last.keySet().removeIf(id -> isGone(id, partitions));
    untold.retainAll(last.keySet());
    last.replaceAll((id, offset) -> now(id, offset, partitions));
    last.forEach(
        (id, offset) -> {
          if (offset >= 0 && folder.holds(id)) {
            offsets.put(id, offset);
          }
        });
    return offsets;
  }

  private static boolean isGone(LogId id, Partitions partitions) {
    return !partitions.isOffline(id) && partitions.replica(id.topicId(), id.partition()) == null;
  }

  private long now(LogId id, long before, Partitions partitions) {
    HostedReplica partition = partitions.replica(id.topicId(), id.partition());
    return partition == null ? before : firstDirty(partition.log());
  }
}
