package dev.tidemark.broker;

import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be done from time to time: retention, expiry of producers, checkpoints. Owned by the
 * data shard; files are written in the background.
 */
final class Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);
  private static final long FIRST_RETENTION_MS = 30_000;
  private static final long CHECKPOINT_INTERVAL_MS = 60_000;
  private static final long PRODUCER_EXPIRY_INTERVAL_MS = 600_000;

  private final Shard shard;
  private final Partitions partitions;
  private final HostedLogs logs;
  private final long retentionIntervalMs;
  private Map<String, KnownOffsets> written = Map.of();
  private boolean checkpointsFail;
  private boolean stopped;

  Maintenance(Shard shard, Partitions partitions, HostedLogs logs, long retentionIntervalMs) {
    this.shard = shard;
    this.partitions = partitions;
    this.logs = logs;
    this.retentionIntervalMs = retentionIntervalMs;
  }

  void start() {
    shard
        .timers()
        .schedule(Math.min(FIRST_RETENTION_MS, retentionIntervalMs), this::applyRetention);
    shard.timers().schedule(CHECKPOINT_INTERVAL_MS, this::writeCheckpoints);
    shard.timers().schedule(PRODUCER_EXPIRY_INTERVAL_MS, this::expireProducers);
  }

  void stop() {
    stopped = true;
  }

  private void applyRetention() {
    if (stopped) {
      return;
    }
    partitions.forEach(this::applyRetention);
    shard.timers().schedule(retentionIntervalMs, this::applyRetention);
  }

  private void applyRetention(PartitionLeader partition) {
    LogId id = partition.log().id();
    try {
      int deleted = partition.log().deleteOldSegments(partition.highWatermark());
      if (deleted > 0) {
        LOG.info(
            "Retention removed {} segments of {}; it now starts at {}",
            deleted,
            id,
            partition.log().logStartOffset());
      }
      partition.deleteRemovedFiles();
      partition.log().releaseIdleFiles();
    } catch (IOException e) {
      LOG.warn("Retention of {} failed; it is tried again later: {}", id, e.getMessage());
    }
  }

  private void expireProducers() {
    if (stopped) {
      return;
    }
    partitions.forEach(partition -> partition.log().expireProducers());
    shard.timers().schedule(PRODUCER_EXPIRY_INTERVAL_MS, this::expireProducers);
  }

  private void writeCheckpoints() {
    if (stopped) {
      return;
    }
    partitions.forEach(Maintenance::flushIfDue);
    Map<String, KnownOffsets> now = checkpoints();
    if (now.equals(written)) {
      scheduleCheckpoints();
      return;
    }
    written = now;
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
      written = Map.of(); // so that they are tried again even if nothing changes
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
    for (DataFolder folder : logs.folders()) {
      KnownOffsets checkpoints = all.get(folder.directory().path());
      if (checkpoints != null) {
        DataFolder.writeDown(folder.directory(), checkpoints);
      }
    }
  }

  /** The offsets of all partitions now, by the path of their folder. */
  Map<String, KnownOffsets> checkpoints() {
    Map<String, KnownOffsets> byFolder = new TreeMap<>();
    for (DataFolder folder : logs.folders()) {
      byFolder.put(folder.directory().path(), checkpointsOf(folder));
    }
    return byFolder;
  }

  private KnownOffsets checkpointsOf(DataFolder folder) {
    KnownOffsets now = new KnownOffsets();
    // A partition that could not be opened keeps what was known of it: without its recovery point
    // the next start would cut at the damage instead of reporting it.
    for (LogId id : partitions.offline()) {
      KnownOffsets.Entry before = folder.knownBefore(id);
      if (before != null) {
        now.put(before);
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
                    partition.highWatermark()));
          }
        });
    return now;
  }
}
