package dev.tidemark.broker;

import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.HostedReplica;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of the partitions, in a file of each data folder. Only those that have changed are
 * looked at; of the others what stands in the file is kept, so that thousands that idle cost the
 * shard nothing and no memory. Owned by the data shard, but for {@link Update#write()}.
 */
final class Checkpoints {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

  /** The background queue of updates. */
  static final String QUEUE = "checkpoint";

  private final Partitions partitions;
  private final HostedLogs logs;
  private final String bootId;
  private Set<String> written = new HashSet<>();
  private long visits;
  private boolean failing;

  Checkpoints(Partitions partitions, HostedLogs logs, String bootId) {
    this.partitions = partitions;
    this.logs = logs;
    this.bootId = bootId;
  }

  /** How often a partition was looked at so far. */
  long visits() {
    return visits;
  }

  /** What has changed since the last update; null when nothing has. */
  @Nullable Update changes() {
    List<LogId> changed = partitions.takeChanged();
    if (changed != null && changed.isEmpty()) {
      return null;
    }
    Set<String> before = written;
    written = new HashSet<>();
    List<FolderUpdate> updates = new ArrayList<>();
    for (DataFolder folder : logs.onlineFolders()) {
      String path = folder.directory().path();
      updates.add(
          changed != null && before.contains(path) ? changed(folder, changed) : all(folder));
      written.add(path);
    }
    return new Update(updates);
  }

  /** All there is to know. */
  Update all() {
    return new Update(logs.onlineFolders().stream().map(this::all).toList());
  }

  /** An update has ended; one that failed is made up for by the next. */
  void ended(@Nullable Throwable failure) {
    if (failure != null) {
      logs.suspectFolders();
      partitions.noteAllChanged();
      if (!failing) {
        LOG.error(
            "The checkpoints cannot be written, a start after a crash takes longer; it is tried"
                + " again: {}",
            failure.getMessage());
      }
    }
    failing = failure != null;
  }

  private FolderUpdate changed(DataFolder folder, List<LogId> changed) {
    List<KnownOffsets.Entry> entries = new ArrayList<>();
    List<LogId> gone = new ArrayList<>();
    for (LogId id : changed) {
      KnownOffsets.Entry entry = entry(folder, id);
      if (entry == null) {
        gone.add(id);
      } else {
        entries.add(entry);
      }
    }
    FolderCheckpoint file = folder.checkpoint();
    return new FolderUpdate(file, file.gathering(), bootId, null, gone, entries);
  }

  private KnownOffsets.@Nullable Entry entry(DataFolder folder, LogId id) {
    if (partitions.isOffline(id)) {
      return offline(folder, id);
    }
    HostedReplica partition = partitions.replica(id.topicId(), id.partition());
    return partition != null && folder.holds(id) ? entry(partition) : null;
  }

  /**
   * A partition that could not be opened keeps what was known of it: without its recovery point the
   * next start would cut at the damage instead of reporting it.
   */
  private static KnownOffsets.@Nullable Entry offline(DataFolder folder, LogId id) {
    KnownOffsets.Entry before = folder.known(id);
    return before == null ? null : before.withoutSummary();
  }

  private KnownOffsets.Entry entry(HostedReplica partition) {
    visits++;
    PartitionLog log = partition.log();
    return new KnownOffsets.Entry(
        log.id(),
        log.recoveryPoint(),
        log.logStartOffset(),
        partition.highWatermark(),
        log.summary());
  }

  private FolderUpdate all(DataFolder folder) {
    KnownOffsets now = new KnownOffsets(bootId);
    for (LogId id : partitions.offline()) {
      KnownOffsets.Entry entry = offline(folder, id);
      if (entry != null) {
        now.put(entry);
      }
    }
    partitions.forEachReplica(
        partition -> {
          if (folder.holds(partition.log().id())) {
            now.put(entry(partition));
          }
        });
    FolderCheckpoint file = folder.checkpoint();
    return new FolderUpdate(file, file.gathering(), bootId, now, List.of(), List.of());
  }

  /** What is to be written of one folder: {@code all}, or what has changed since the last time. */
  private record FolderUpdate(
      FolderCheckpoint file,
      long gathered,
      String bootId,
      @Nullable KnownOffsets all,
      List<LogId> gone,
      List<KnownOffsets.Entry> entries) {

    void write() throws IOException {
      if (all != null) {
        file.write(gathered, all);
      } else {
        file.write(gathered, bootId, gone, entries);
      }
    }
  }

  /** What is to be written of all folders. */
  static final class Update {
    private final List<FolderUpdate> folders;

    private Update(List<FolderUpdate> folders) {
      this.folders = folders;
    }

    /** Blocks; runs anywhere, one after the other. One folder that fails keeps no other back. */
    void write() throws IOException {
      IOException failure = null;
      for (FolderUpdate folder : folders) {
        try {
          folder.write();
        } catch (IOException e) {
          failure = e;
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
