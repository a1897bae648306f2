package dev.tidemark.broker;

import dev.tidemark.broker.replication.Replication;
import dev.tidemark.env.Shard;
import dev.tidemark.log.ActiveLogs;
import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.function.Consumer;
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
  private static final long PRODUCER_EXPIRY_INTERVAL_MS = 600_000;
  private static final int SYNCS_AT_ONCE = 500;
  private static final long NEXT_SYNCS_MS = 1_000;

  /** Files that were not used for one to two of these are closed. */
  private static final long IDLE_INTERVAL_MS = 10_000;

  private final Shard shard;
  private final Partitions partitions;
  private final Checkpoints checkpoints;
  private final long retentionIntervalMs;
  private final Replication replication;
  private final ActiveLogs active;
  private long visits;
  private boolean stopped;

  Maintenance(
      Shard shard,
      Partitions partitions,
      Checkpoints checkpoints,
      long retentionIntervalMs,
      Replication replication) {
    this.shard = shard;
    this.partitions = partitions;
    this.active = partitions.activeLogs();
    this.checkpoints = checkpoints;
    this.retentionIntervalMs = retentionIntervalMs;
    this.replication = replication;
  }

  void start() {
    shard
        .timers()
        .schedule(Math.min(FIRST_RETENTION_MS, retentionIntervalMs), this::applyRetention);
    shard.timers().schedule(replication.checkpointIntervalMs(), this::writeCheckpoints);
    shard.timers().schedule(PRODUCER_EXPIRY_INTERVAL_MS, this::expireProducers);
    shard.timers().schedule(IDLE_INTERVAL_MS, this::closeIdleFiles);
    if (replication.hasOthers()) {
      shard.timers().schedule(replication.lagCheckIntervalMs(), this::checkInSync);
    }
  }

  /** How often a partition was looked at so far. */
  long visits() {
    return visits + checkpoints.visits();
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

  private void forEachActive(Consumer<PartitionReplica> action) {
    active.activateDue(shard.clock().wallMs());
    for (PartitionLog log : active.all()) {
      HostedReplica partition = partitions.replicaOf(log);
      PartitionReplica role = partition == null ? null : partition.role();
      visits++;
      if (role != null) {
        action.accept(role);
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

  private void applyRetention(PartitionReplica partition) {
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

  private void checkInSync() {
    if (stopped) {
      return;
    }
    partitions.forEachLeader(PartitionLeader::checkInSync);
    shard.timers().schedule(replication.lagCheckIntervalMs(), this::checkInSync);
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
    flushDue();
    forEachActive(
        partition -> {
          HostedReplica replica = partitions.replicaOf(partition.log());
          boolean moved = replica != null && replica.takeHighWatermarkMoved();
          if (partition.log().takeChanged() || moved) {
            partitions.noteChanged(partition.log().id());
          }
        });
    Checkpoints.Update update = checkpoints.changes();
    if (update == null) {
      scheduleCheckpoints();
      return;
    }
    shard
        .background()
        .run(
            Checkpoints.QUEUE,
            () -> {
              update.write();
              return update;
            },
            (done, failure) -> {
              checkpoints.ended(failure);
              scheduleCheckpoints();
            });
  }

  /**
   * Of an idle partition nobody else asks: a segment that was rolled last is still to be synced. A
   * sync holds files open, so of many some wait.
   */
  private void flushDue() {
    if (stopped) {
      return;
    }
    int[] begun = {0};
    forEachActive(
        partition -> {
          if (partition.log().needsFlush() && begun[0]++ < SYNCS_AT_ONCE) {
            partition.startFlush();
          }
        });
    if (begun[0] > SYNCS_AT_ONCE) {
      shard.timers().schedule(NEXT_SYNCS_MS, this::flushDue);
    }
  }

  private void scheduleCheckpoints() {
    shard.timers().schedule(replication.checkpointIntervalMs(), this::writeCheckpoints);
  }
}
