package dev.tidemark.broker;

import dev.tidemark.env.Shard;
import dev.tidemark.env.Timers;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.Reply;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of one data folder whose log failed or could not be opened, until each is open
 * again; and all of them, when the folder itself has failed. The folder is probed with growing
 * pauses; while it fails, a partition that was open goes on serving reads. Once it answers and has
 * room, its partitions are opened again one after the other in the background, as after an unclean
 * stop; those it leads begin a new leader epoch. Owned by the data shard; costs nothing while
 * nothing has failed.
 */
final class FailedPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(FailedPartitions.class);
  private static final long FIRST_PAUSE_MS = 500;
  private static final long MAX_PAUSE_MS = 30_000;
  private static final int MAX_DOUBLINGS = 6;
  private static final String QUEUE = "repair";

  /** How often in a row a folder must fail that the broker cannot do without. */
  private static final int PROBES_BEFORE_THE_END = 3;

  private final Shard shard;
  private final FolderWork work;
  private final DataFolder folder;
  private final Partitions partitions;
  private final Port port;
  private final TreeMap<String, Failed> failed = new TreeMap<>();
  private int attempts;
  private long lastEmptyMs;
  private Timers.@Nullable Timer timer;
  private @Nullable LogId opening;
  private @Nullable Runnable whenOpened;
  private int failures;
  private boolean suspected;
  private boolean folderFailed;
  private boolean busy;
  private boolean stopped;

  /** Counts up when the folder hangs: what was under way before is not gone on with. */
  private int hangs;

  /** What this needs of the broker. */
  interface Port {
    /** Opens a log; runs in the background. Null when its topic is gone. */
    @Nullable Opener opener(LogId id, LogOpening opening);

    /** Serves a log that was opened, in the role that the metadata name. */
    void serve(PartitionLog log);

    /** False when the metadata want no replica here any more. */
    boolean isAssigned(LogId id);

    /** Whether the metadata name this broker as the leader. */
    boolean isLed(LogId id);

    /** Whether this broker leads it and another replica could: one in the ISR or the ELR. */
    boolean isLedInPlaceOfOthers(LogId id);

    /** Asks for a new leader epoch; another in-sync replica may lead in it. */
    void renew(LogId id, Reply<Integer> reply);

    /** A partition that served serves no more. */
    void wentOffline(LogId id);

    /** Whether the broker cannot do without this folder, since it holds the metadata log. */
    boolean isIndispensable(DataFolder folder);

    /** The broker has to stop, as its owner is told in one line. */
    void cannotGoOn(String why);
  }

  /** Opens one log; blocks. */
  @FunctionalInterface
  interface Opener {
    PartitionLog open() throws IOException;
  }

  /** {@code served} is true of one that was open in this run: it needs a new leader epoch. */
  private record Failed(LogId id, boolean served) {}

  FailedPartitions(Shard shard, DataFolder folder, Partitions partitions, Port port) {
    this.shard = shard;
    this.work = new FolderWork(shard, folder.directory(), this::onHang);
    this.folder = folder;
    this.partitions = partitions;
    this.port = port;
  }

  /** The slow work on this folder. */
  FolderWork work() {
    return work;
  }

  /** A log takes no more appends, or one that takes none is to lead. It serves reads for now. */
  void logFailed(PartitionLog log) {
    if (stopped) {
      return;
    }
    if (!isKnown(log.id())) {
      tell(log);
      add(new Failed(log.id(), true));
    }
    handOver(log.id());
  }

  private void tell(PartitionLog log) {
    LogId id = log.id();
    if (log.isDamaged()) {
      LOG.error(
          "{} takes no more writes: {}. Its files are checked now as after a crash",
          id,
          log.failure());
    } else {
      LOG.error(
          "{} takes no more writes: {}. Reads go on. Free some space on the volume of {}, or repair"
              + " it: the partition is then opened again without a restart",
          id,
          log.failure(),
          folder.directory().path());
    }
  }

  /** Others may be able to write while this disk is not: they lead at once, not once it answers. */
  private void handOver(LogId id) {
    if (!port.isLedInPlaceOfOthers(id)) {
      return;
    }
    port.renew(
        id,
        new Reply<>() {
          @Override
          public void succeed(Integer leaderEpoch) {
            LOG.info("{} is handed over, in leader epoch {}", id, leaderEpoch);
          }

          @Override
          public void fail(Throwable cause) {
            LOG.warn(
                "{} is not handed over yet, it will be once its log is open again: {}",
                id,
                cause.getMessage());
          }
        });
  }

  /** A log of this folder could not be opened; the partition is offline. */
  void openingFailed(LogId id) {
    if (!stopped && !isKnown(id)) {
      add(new Failed(id, false));
    }
  }

  /** A partition that served until a moment ago is to be opened again from this folder. */
  void interrupted(LogId id) {
    if (!stopped && !isKnown(id)) {
      add(new Failed(id, true));
    }
  }

  private boolean isKnown(LogId id) {
    Failed known = failed.get(id.folderName());
    return known != null && known.id().equals(id);
  }

  private void add(Failed one) {
    if (failed.isEmpty() && shard.clock().monotonicMs() - lastEmptyMs > 2 * MAX_PAUSE_MS) {
      attempts = 0; // otherwise the disk fails again and again, and is asked less and less often
    }
    failed.put(one.id().folderName(), one);
    schedule();
  }

  /** Something failed that may be the folder's fault: it is probed soon. */
  void suspect() {
    suspected = true;
    schedule();
  }

  /** True once the folder failed, until it answers again. */
  boolean isFolderFailed() {
    return folderFailed;
  }

  private void schedule() {
    boolean needed = !failed.isEmpty() || suspected || folderFailed;
    if (timer == null && !busy && needed && !stopped) {
      long pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS << attempts);
      attempts = Math.min(attempts + 1, MAX_DOUBLINGS);
      timer = shard.timers().schedule(pauseMs, this::attempt);
    }
  }

  private void attempt() {
    timer = null;
    busy = true;
    int before = hangs;
    work.run(
        FolderWork.PROBES,
        () -> {
          FolderProbe.run(folder.directory(), folder.directoryId());
          return folder;
        },
        (answers, failure) -> {
          if (hangs == before) {
            onProbed(failure);
          }
        });
  }

  /** A sync or a probe does not come back. */
  private void onHang() {
    if (stopped || folderFailed) {
      return;
    }
    hangs++;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    busy = true;
    failures = PROBES_BEFORE_THE_END;
    onFolderFailed(
        "it hangs, a sync or a probe has taken more than %d s".formatted(FolderWork.MAX_MS / 1000));
  }

  private void onProbed(@Nullable Throwable failure) {
    if (stopped) {
      return;
    }
    if (failure != null && !(failure instanceof FolderProbe.FolderFull)) {
      failures++;
      onFolderFailed(String.valueOf(failure.getMessage()));
      return;
    }
    failures = 0;
    suspected = false;
    if (folderFailed) {
      folderFailed = false;
      LOG.warn(
          "Data folder {} answers again; its partitions are opened", folder.directory().path());
    }
    if (failure == null) {
      openNext(new ArrayDeque<>(failed.values()));
    } else {
      LOG.debug("{} is still full: {}", folder.directory().path(), failure.getMessage());
      finishAttempt();
    }
  }

  private void onFolderFailed(String why) {
    String path = folder.directory().path();
    if (port.isIndispensable(folder)) {
      if (failures >= PROBES_BEFORE_THE_END) {
        stopped = true;
        port.cannotGoOn(
            "data folder %s failed, and it holds the metadata log: %s. Repair the disk and start again"
                .formatted(path, why));
        return;
      }
      finishAttempt();
      return;
    }
    if (folderFailed) {
      finishAttempt();
      return;
    }
    folderFailed = true;
    List<PartitionLog> open = takeAllOffline(why);
    LOG.error(
        "Data folder {} failed: {}. Its {} partitions are offline, those of other folders serve."
            + " Repair or mount the disk; they are opened again without a restart",
        path,
        why,
        failed.size());
    // While it hangs nothing comes back here, and nothing more is tried.
    work.run(
        PartitionReplica.SYNCS,
        () -> open,
        (logs, none) -> work.run(QUEUE, () -> closeAll(open), (done, failure) -> finishAttempt()));
  }

  private List<PartitionLog> takeAllOffline(String why) {
    partitions.forEachReplica(
        replica -> {
          LogId id = replica.log().id();
          if (folder.holds(id) && !isKnown(id)) {
            failed.put(id.folderName(), new Failed(id, true));
          }
        });
    List<PartitionLog> open = new ArrayList<>();
    for (Failed one : failed.values()) {
      open.addAll(takeOffline(one.id()));
      partitions.addOffline(
          one.id(), "data folder %s failed: %s".formatted(folder.directory().path(), why));
    }
    return open;
  }

  private List<PartitionLog> closeAll(List<PartitionLog> logs) {
    logs.forEach(LogCloser::closeUnneeded);
    return logs;
  }

  private void finishAttempt() {
    busy = false;
    if (failed.isEmpty()) {
      lastEmptyMs = shard.clock().monotonicMs();
    }
    schedule();
  }

  private void openNext(ArrayDeque<Failed> left) {
    Failed next = left.poll();
    while (next != null && !failed.containsValue(next)) {
      next = left.poll();
    }
    if (next == null || stopped) {
      finishAttempt();
      return;
    }
    Failed one = next;
    opening = one.id();
    List<PartitionLog> old = takeOffline(one.id());
    int before = hangs;
    // What syncs are still under way have to be told before the files change hands.
    work.run(
        PartitionReplica.SYNCS,
        () -> old,
        (log, none) -> {
          if (hangs == before) {
            open(one, old, left);
          } else {
            work.run(QUEUE, () -> closeAll(old), (done, failure) -> opened());
          }
        });
  }

  /** Ends the partition's service if it has not ended; returns its log, or nothing. */
  private List<PartitionLog> takeOffline(LogId id) {
    List<PartitionLog> old = new ArrayList<>(1);
    HostedReplica replica = partitions.replica(id.topicId(), id.partition());
    if (replica != null) {
      PartitionLog log = replica.log();
      old.add(log);
      replica.stop();
      folder.remember(
          new KnownOffsets.Entry(
              id, log.recoveryPoint(), log.logStartOffset(), replica.highWatermark()));
      partitions.takeOffline(id, log.failure() + "; it is being opened again");
      port.wentOffline(id);
    }
    return old;
  }

  private void open(Failed one, List<PartitionLog> old, ArrayDeque<Failed> left) {
    Opener opener = port.opener(one.id(), folder.reopening(one.id()));
    int before = hangs;
    Runnable next =
        () -> {
          opened();
          if (hangs == before) {
            openNext(left);
          }
        };
    if (opener == null) {
      failed.remove(one.id().folderName(), one);
      next.run();
      return;
    }
    work.run(
        QUEUE,
        () -> {
          for (PartitionLog log : old) {
            log.close(false);
          }
          return opener.open();
        },
        (log, failure) -> {
          if (log == null) {
            openFailed(one, String.valueOf(failure == null ? "" : failure.getMessage()));
            if (failure instanceof CorruptLog) {
              LOG.error("{} stays offline until a restart: {}", one.id(), failure.getMessage());
              failed.remove(one.id().folderName(), one); // no waiting heals that
            }
            next.run();
          } else if (stopped || hangs != before || !failed.containsValue(one)) {
            LogCloser.closeUnneeded(log);
            next.run();
          } else {
            lead(one, log, next);
          }
        });
  }

  private void openFailed(Failed one, String why) {
    LOG.debug("{} could not be opened again: {}", one.id(), why);
    if (failed.containsValue(one)) {
      partitions.addOffline(one.id(), why);
    }
  }

  /** One that led needs a new epoch: its log may have lost what was not synced. */
  private void lead(Failed one, PartitionLog log, Runnable next) {
    int before = hangs;
    if (!one.served() || !port.isLed(one.id())) {
      serve(one, log, before);
      next.run();
      return;
    }
    port.renew(
        one.id(),
        new Reply<>() {
          @Override
          public void succeed(Integer leaderEpoch) {
            serve(one, log, before);
            next.run();
          }

          @Override
          public void fail(Throwable cause) {
            openFailed(one, String.valueOf(cause.getMessage()));
            LogCloser.closeUnneeded(log);
            next.run();
          }
        });
  }

  private void serve(Failed one, PartitionLog log, int before) {
    if (stopped
        || hangs != before
        || !port.isAssigned(one.id())
        || !failed.remove(one.id().folderName(), one)) {
      LogCloser.closeUnneeded(log);
      return;
    }
    port.serve(log);
    LOG.warn("{} takes writes again, from offset {} on", one.id(), log.logEndOffset());
  }

  private void opened() {
    opening = null;
    Runnable waiting = whenOpened;
    whenOpened = null;
    if (waiting != null) {
      waiting.run();
    }
  }

  /** True while the folder that would be this partition's is being opened for a deleted one. */
  boolean occupies(LogId id) {
    LogId other = opening;
    return other != null && other.folderName().equals(id.folderName()) && !other.equals(id);
  }

  /**
   * Forgets a partition whose topic is deleted, then runs {@code andThen}: at once, or when the
   * opening that is under way has ended, because that would bring the folder back.
   */
  void forget(LogId id, Runnable andThen) {
    if (isKnown(id)) {
      failed.remove(id.folderName());
    }
    if (id.equals(opening)) {
      whenOpened = andThen;
    } else {
      andThen.run();
    }
  }

  /**
   * Nothing is opened any more. Returns the logs that failed and are open; they are offline now.
   */
  List<PartitionLog> stop() {
    stopped = true;
    if (timer != null) {
      timer.cancel();
    }
    List<PartitionLog> open = new ArrayList<>();
    failed.values().forEach(one -> open.addAll(takeOffline(one.id())));
    return open;
  }
}
