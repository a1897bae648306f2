package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import dev.tidemark.log.Cleaner;
import dev.tidemark.log.CleanerBounds;
import dev.tidemark.log.DirtySection;
import dev.tidemark.log.LogId;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts the logs of topics with {@code cleanup.policy=compact}, one at a time, the one with the
 * most to gain first. Reading and writing run in the background in steps of bounded size; between
 * them the data shard takes over what is ready. A log that cannot be compacted is left out for a
 * while, alone. Owned by the data shard.
 */
final class LogCleaner {
  private static final Logger LOG = LoggerFactory.getLogger(LogCleaner.class);
  private static final String QUEUE = "cleaner";
  private static final int STEP_BYTES = 1 << 20;
  private static final long SYNC_LOOK_MS = 20;
  private static final int MAX_SYNC_LOOKS = 500;
  private static final long FIRST_QUARANTINE_MS = 60_000;
  private static final int MAX_DOUBLINGS = 6;

  private final Shard shard;
  private final Partitions partitions;
  private final HostedLogs logs;
  private CleanerSettings settings;
  private final CleanerOffsets offsets = new CleanerOffsets();
  private final Map<LogId, Quarantine> quarantined = new HashMap<>();
  private final Set<PartitionLog> waiting = new LinkedHashSet<>();
  private long visits;
  private Timers.@Nullable Timer timer;
  private @Nullable Cleaner running;
  private boolean idles;
  private boolean stopped;

  /** A log that failed, until when it is left out, and how often that was. */
  private record Quarantine(long untilMs, int times) {}

  private record Candidate(HostedReplica partition, DirtySection section) {
    boolean isBetterThan(@Nullable Candidate other) {
      return other == null
          || (section.overdue() && !other.section.overdue())
          || (section.overdue() == other.section.overdue()
              && section.cleanableRatio() > other.section.cleanableRatio());
    }
  }

  LogCleaner(Shard shard, Partitions partitions, HostedLogs logs, CleanerSettings settings) {
    this.shard = shard;
    this.partitions = partitions;
    this.logs = logs;
    this.settings = settings;
  }

  void start() {
    if (!settings.enabled()) {
      return;
    }
    List<Directory> folders = logs.folders().stream().map(DataFolder::directory).toList();
    shard
        .background()
        .run(
            QUEUE,
            () -> CleanerOffsets.read(folders),
            (read, failure) -> {
              if (read != null) {
                offsets.startWith(read, logs.folders());
              }
              lookAfter(settings.backoffMs());
            });
  }

  /** From now on; a log that is being compacted ends with the bounds it began with. */
  void onSettings(CleanerSettings changed) {
    boolean lookAgain = idles && changed.backoffMs() != settings.backoffMs();
    settings = changed;
    if (lookAgain && timer != null) {
      timer.cancel();
      lookAfter(settings.backoffMs());
    }
  }

  /** Compacts no more; what was begun is removed in the background. */
  void stop() {
    stopped = true;
    if (timer != null) {
      timer.cancel();
    }
    if (running != null) {
      abandon(running);
    }
  }

  private void lookAfter(long delayMs) {
    running = null;
    idles = true;
    if (!stopped) {
      timer = shard.timers().schedule(delayMs, this::look);
    }
  }

  private void look() {
    idles = false;
    gather();
    Candidate best = null;
    for (Iterator<PartitionLog> all = waiting.iterator(); all.hasNext(); ) {
      PartitionLog log = all.next();
      HostedReplica partition = partitions.replicaOf(log);
      visits++;
      if (partition == null || !mayBeCompacted(log)) {
        all.remove();
        continue;
      }
      Candidate candidate = candidate(partition);
      if (candidate == null && !isQuarantined(log.id()) && !changesWithTime(log)) {
        all.remove();
      } else if (candidate != null && candidate.isBetterThan(best)) {
        best = candidate;
      }
    }
    if (best == null) {
      lookAfter(settings.backoffMs());
    } else {
      beginWhenSynced(best, 0);
    }
  }

  /** Of all other logs nothing has changed since they were last looked at. */
  private void gather() {
    waiting.addAll(partitions.activeLogs().takeUncompacted());
    for (PartitionLog log : partitions.activeLogs().all()) {
      if (mayBeCompacted(log)) {
        waiting.add(log);
      }
    }
  }

  private static boolean mayBeCompacted(PartitionLog log) {
    return log.settings().compact() && log.segmentCount() > 1;
  }

  /** What is too young today, or not yet worth it, may be due tomorrow. */
  private static boolean changesWithTime(PartitionLog log) {
    return log.settings().minCompactionLagMs() > 0
        || log.settings().maxCompactionLagMs() < Long.MAX_VALUE;
  }

  /** How often a log was looked at so far. */
  long visits() {
    return visits;
  }

  private @Nullable Candidate candidate(HostedReplica partition) {
    PartitionLog log = partition.log();
    if (isQuarantined(log.id())) {
      return null;
    }
    try {
      DirtySection section = log.dirtySection(offsets.firstDirty(log), partition.highWatermark());
      if (section == null) {
        return null;
      }
      boolean worthIt =
          section.overdue() || section.cleanableRatio() > log.settings().minCleanableDirtyRatio();
      return worthIt ? new Candidate(partition, section) : null;
    } catch (IOException e) {
      quarantine(log.id(), e);
      return null;
    }
  }

  private boolean isQuarantined(LogId id) {
    Quarantine one = quarantined.get(id);
    return one != null && shard.clock().monotonicMs() < one.untilMs();
  }

  private void quarantine(LogId id, Throwable why) {
    Quarantine before = quarantined.get(id);
    int times = before == null ? 0 : Math.min(before.times() + 1, MAX_DOUBLINGS);
    long pauseMs = FIRST_QUARANTINE_MS << times;
    quarantined.put(id, new Quarantine(shard.clock().monotonicMs() + pauseMs, times));
    LOG.warn(
        "{} cannot be compacted: {}. It keeps all records and is tried again in {} s; other logs are"
            + " compacted",
        id,
        why.getMessage(),
        pauseMs / 1000);
  }

  /** What decided the section must not be lost any more before older records go for it. */
  private void beginWhenSynced(Candidate one, int looks) {
    if (stopped) {
      return;
    }
    if (!isCurrent(one.partition()) || looks > MAX_SYNC_LOOKS) {
      lookAfter(settings.backoffMs());
    } else if (one.partition().log().syncedEndOffset() < one.section().mustBeSyncedTo()) {
      startFlush(one.partition());
      timer = shard.timers().schedule(SYNC_LOOK_MS, () -> beginWhenSynced(one, looks + 1));
    } else {
      begin(one);
    }
  }

  private static void startFlush(HostedReplica partition) {
    PartitionReplica role = partition.role();
    if (role != null) {
      role.startFlush();
    }
  }

  private void begin(Candidate one) {
    PartitionLog log = one.partition().log();
    CleanerBounds bounds = settings.bounds();
    try {
      Cleaner cleaner = log.clean(one.section(), bounds);
      running = cleaner;
      step(one, cleaner);
    } catch (IOException e) {
      quarantine(log.id(), e);
      lookAfter(0);
    }
  }

  private boolean isCurrent(HostedReplica partition) {
    return partition.role() != null
        && partition.log().failure() == null
        && partition.equals(partitions.replicaOf(partition.log()));
  }

  private void step(Candidate one, Cleaner cleaner) {
    long startMs = shard.clock().monotonicMs();
    shard
        .background()
        .run(
            QUEUE,
            () -> cleaner.step(STEP_BYTES),
            (progress, failure) -> {
              if (!stopped) {
                onStep(one, cleaner, progress, failure, startMs);
              }
            });
  }

  private void onStep(
      Candidate one,
      Cleaner cleaner,
      Cleaner.@Nullable Progress progress,
      @Nullable Throwable failure,
      long startMs) {
    PartitionLog log = one.partition().log();
    if (!isCurrent(one.partition())) {
      giveUp(cleaner, 0);
    } else if (progress == null && !log.holdsSourcesOf(cleaner)) {
      giveUpChanged(log, cleaner); // retention renames what a step was about to read
    } else if (progress == null) {
      quarantine(log.id(), failure == null ? new IOException("no result") : failure);
      giveUp(cleaner, 0);
    } else if (progress == Cleaner.Progress.DONE) {
      finish(one, cleaner);
    } else if (progress == Cleaner.Progress.MORE || adopt(one, cleaner)) {
      pace(startMs, () -> step(one, cleaner));
    }
  }

  /** False when that ended it. */
  private boolean adopt(Candidate one, Cleaner cleaner) {
    PartitionLog log = one.partition().log();
    try {
      if (log.adopt(cleaner.takeReady())) {
        deleteRemovedFiles(one.partition());
        return true;
      }
      giveUpChanged(log, cleaner);
    } catch (IOException e) {
      quarantine(log.id(), e);
      giveUp(cleaner, 0);
    }
    return false;
  }

  private static void deleteRemovedFiles(HostedReplica partition) {
    PartitionReplica role = partition.role();
    if (role != null) {
      role.deleteRemovedFiles();
    }
  }

  /** Reading and writing count both, hence twice. */
  private void pace(long startMs, Runnable next) {
    double dueMs = 2.0 * STEP_BYTES * 1000 / settings.maxBytesPerSecond();
    long tookMs = shard.clock().monotonicMs() - startMs;
    if (dueMs <= tookMs) {
      next.run();
    } else {
      timer = shard.timers().schedule((long) Math.ceil(dueMs - tookMs), next);
    }
  }

  private void finish(Candidate one, Cleaner cleaner) {
    PartitionLog log = one.partition().log();
    quarantined.remove(log.id());
    offsets.cleaned(log, cleaner.cleanEndOffset());
    LOG.info(
        "Compacted {} up to offset {}: {} bytes became {}",
        log.id(),
        cleaner.cleanEndOffset(),
        one.section().cleanBytes() + one.section().dirtyBytes(),
        cleaner.bytesWritten());
    writeDown(log.id());
    lookAfter(0);
  }

  private void writeDown(LogId id) {
    for (DataFolder folder : logs.onlineFolders()) {
      if (folder.holds(id)) {
        FolderCheckpoint file = folder.checkpoint();
        long gathered = file.gathering();
        Map<LogId, Long> all = offsets.of(folder, partitions);
        shard
            .background()
            .run(
                QUEUE,
                () -> {
                  file.writeCleaned(gathered, all);
                  return all;
                },
                (done, failure) -> {
                  if (failure != null) {
                    LOG.warn("The cleaner's offsets were not written: {}", failure.getMessage());
                  }
                });
      }
    }
  }

  private void giveUpChanged(PartitionLog log, Cleaner cleaner) {
    LOG.debug("{} changed while it was compacted; it is done again", log.id());
    giveUp(cleaner, settings.backoffMs());
  }

  private void giveUp(Cleaner cleaner, long delayMs) {
    abandon(cleaner);
    lookAfter(delayMs);
  }

  private void abandon(Cleaner cleaner) {
    shard
        .background()
        .run(
            QUEUE,
            () -> {
              cleaner.abandon();
              return cleaner;
            },
            (done, failure) -> {
              if (failure != null) {
                LOG.debug(
                    "Files of a compaction stay until the next start: {}", failure.getMessage());
              }
            });
  }
}
