package dev.tidemark.broker;

import dev.tidemark.env.Shard;
import dev.tidemark.log.ActiveLogs;
import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be done from time to time: retention, expiry of producers, checkpoints, closing files
 * that idle. Only logs that were used or have something due are looked at, however many there are.
 * Owned by the data shard; files are written in the background.
 */
final class Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);
  private static final long FIRST_RETENTION_MS = 30_000;
  private static final long CHECKPOINT_INTERVAL_MS = 60_000;
  private static final long PRODUCER_EXPIRY_INTERVAL_MS = 600_000;

  /** Files that were not used for one to two of these are closed. */
  private static final long IDLE_INTERVAL_MS = 10_000;

  private final Shard shard;
  private final Partitions partitions;
  private final HostedLogs logs;
  private final long retentionIntervalMs;
  private final String bootId;
  private final ActiveLogs active;
  private long visits;
  private boolean checkpointsFail;
  private boolean stopped;

  Maintenance(
      Shard shard,
      Partitions partitions,
      HostedLogs logs,
      long retentionIntervalMs,
      String bootId) {
    this.shard = shard;
    this.partitions = partitions;
    this.active = partitions.activeLogs();
    this.logs = logs;
    this.retentionIntervalMs = retentionIntervalMs;
    this.bootId = bootId;
  }

  void start() {
    shard
        .timers()
        .schedule(Math.min(FIRST_RETENTION_MS, retentionIntervalMs), this::applyRetention);
    shard.timers().schedule(CHECKPOINT_INTERVAL_MS, this::writeCheckpoints);
    shard.timers().schedule(PRODUCER_EXPIRY_INTERVAL_MS, this::expireProducers);
    shard.timers().schedule(IDLE_INTERVAL_MS, this::closeIdleFiles);
  }

  /** How often a partition was looked at so far. */
  long visits() {
    return visits;
  }

  void stop() {
    stopped = true;
  }

  private void applyRetention() {
    if (stopped) {
      return;
    }
    forEachActive(this::applyRetention);
    shard.timers().schedule(retentionIntervalMs, this::applyRetention);
  }

  private void forEachActive(Consumer<PartitionLeader> action) {
    active.activateDue(shard.clock().wallMs());
    for (PartitionLog log : active.all()) {
      PartitionLeader partition = partitions.find(log.id().topicId(), log.id().partition());
      visits++;
      if (partition != null && partition.log() == log) {
        action.accept(partition);
      }
    }
  }

  private void closeIdleFiles() {
    if (stopped) {
      return;
    }
    active.closeIdle();
    active.dismissResting();
    shard.timers().schedule(IDLE_INTERVAL_MS, this::closeIdleFiles);
  }

  private void applyRetention(PartitionLeader partition) {
    LogId id = partition.log().id();
    try {
      int deleted = partition.log().deleteOldSegments(partition.highWatermark());
      if (deleted > 0) {
        LOG.info(
            "[Log partition={}, dir={}] Deleting {} segments due to retention; incremented log start"
                + " offset to {}",
            id,
            partition.log().folder().path(),
            deleted,
            partition.log().logStartOffset());
      }
      partition.deleteRemovedFiles();
    } catch (IOException e) {
      LOG.warn("Retention of {} failed; it is tried again later: {}", id, e.getMessage());
    }
  }

  private void expireProducers() {
    if (stopped) {
      return;
    }
    forEachActive(partition -> partition.log().expireProducers());
    shard.timers().schedule(PRODUCER_EXPIRY_INTERVAL_MS, this::expireProducers);
  }

  private void writeCheckpoints() {
    if (stopped) {
      return;
    }
    boolean[] changed = {partitions.takeChanged()};
    forEachActive(
        partition -> {
          flushIfDue(partition);
          changed[0] |= partition.log().takeChanged();
        });
    if (!changed[0]) {
      scheduleCheckpoints();
      return;
    }
    Map<String, KnownOffsets> now = checkpoints();
    shard
        .background()
        .run(
            "checkpoint",
            () -> {
              writeCheckpoints(now);
              return now;
            },
            (done, failure) -> onCheckpointsWritten(failure));
  }

  /**
   * Of an idle partition nobody else asks: a segment that was rolled last is still to be synced.
   */
  private static void flushIfDue(PartitionLeader partition) {
    if (partition.log().needsFlush()) {
      partition.startFlush();
    }
  }

  private void onCheckpointsWritten(@Nullable Throwable failure) {
    if (failure != null) {
      logs.suspectFolders();
      partitions.noteChanged(); // so that they are tried again even if nothing changes
      if (!checkpointsFail) {
        LOG.error(
            "The checkpoints cannot be written, a start after a crash takes longer; it is tried"
                + " again: {}",
            failure.getMessage());
      }
    }
    checkpointsFail = failure != null;
    scheduleCheckpoints();
  }

  private void scheduleCheckpoints() {
    shard.timers().schedule(CHECKPOINT_INTERVAL_MS, this::writeCheckpoints);
  }

  /** Writes given checkpoints; blocks. */
  void writeCheckpoints(Map<String, KnownOffsets> all) throws IOException {
    IOException failure = null;
    for (DataFolder folder : logs.folders()) {
      KnownOffsets checkpoints = all.get(folder.directory().path());
      if (checkpoints != null) {
        try {
          DataFolder.writeDown(folder.directory(), checkpoints);
        } catch (IOException e) {
          failure = e; // the other folders' are written all the same
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** The offsets of all partitions now, by the path of their folder. */
  Map<String, KnownOffsets> checkpoints() {
    Map<String, KnownOffsets> byFolder = new TreeMap<>();
    for (DataFolder folder : logs.onlineFolders()) {
      byFolder.put(folder.directory().path(), checkpointsOf(folder));
    }
    return byFolder;
  }

  private KnownOffsets checkpointsOf(DataFolder folder) {
    KnownOffsets now = new KnownOffsets(bootId);
    // A partition that could not be opened keeps what was known of it: without its recovery point
    // the next start would cut at the damage instead of reporting it.
    for (LogId id : partitions.offline()) {
      KnownOffsets.Entry before = folder.known(id);
      if (before != null) {
        now.put(before.withoutSummary());
      }
    }
    partitions.forEach(
        partition -> {
          LogId id = partition.log().id();
          if (folder.holds(id)) {
            now.put(
                new KnownOffsets.Entry(
                    id,
                    partition.log().recoveryPoint(),
                    partition.log().logStartOffset(),
                    partition.highWatermark(),
                    partition.log().summary()));
          }
        });
    return now;
  }
}
