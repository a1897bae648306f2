package dev.tidemark.broker;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.CorruptLog;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogSummary;
import dev.tidemark.log.PartitionLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens the logs of a starting broker. After a clean stop what the folder knew of them is enough.
 * After a kill it is as well for logs to which nothing was written since, which a look at names and
 * sizes shows; the others are recovered. Such work runs in the background, on several threads.
 */
final class LogOpener {
  private static final int QUEUES = 2;

  /** Logs that are opened in one go. */
  private static final int CHUNK = 64;

  private final Shard shard;
  private final Listener listener;
  private final List<Opening> inBackground = new ArrayList<>();

  /** Hears on the shard how each opening ended; exactly one of the two is not null. */
  @FunctionalInterface
  interface Listener {
    void onOpened(AssignedLog assigned, @Nullable PartitionLog log, @Nullable Throwable failure);
  }

  private record Opening(
      AssignedLog assigned, Directory directory, LogOpening opening, @Nullable LogSummary left) {}

  private record Opened(
      AssignedLog assigned, @Nullable PartitionLog log, @Nullable Throwable failure) {}

  LogOpener(Shard shard, Listener listener) {
    this.shard = shard;
    this.listener = listener;
  }

  /** Opens a log at once where that needs no files, else notes it. */
  void add(AssignedLog assigned, DataFolder folder) {
    Directory directory = folder.directory().directory(assigned.id().folderName());
    KnownOffsets.Entry known = folder.known(assigned.id());
    LogSummary left = known == null ? null : known.summary();
    if (left != null && folder.cleanStop() && folder.holds(assigned.id())) {
      tell(resume(assigned, directory, left, true, shard.clock()));
      return;
    }
    LogOpening opening =
        known == null
            ? new LogOpening(folder.cleanStop(), 0, 0)
            : new LogOpening(
                folder.cleanStop(),
                Math.max(known.recoveryPoint(), syncedEnd(left, folder)),
                known.logStartOffset());
    boolean survived = left != null && folder.isSameBoot() && folder.holds(assigned.id());
    inBackground.add(new Opening(assigned, directory, opening, survived ? left : null));
  }

  /** After a clean stop all of it was synced; that its folder is gone must not pass for new. */
  private static long syncedEnd(@Nullable LogSummary left, DataFolder folder) {
    return left != null && folder.cleanStop() ? left.logEndOffset() : 0;
  }

  private void tell(Opened opened) {
    listener.onOpened(opened.assigned(), opened.log(), opened.failure());
  }

  /** Opens what was noted; calls {@code done} on the shard after the last one. */
  void openAll(Runnable done) {
    int chunks = (inBackground.size() + CHUNK - 1) / CHUNK;
    int[] left = {chunks};
    if (chunks == 0) {
      done.run();
    }
    for (int chunk = 0; chunk < chunks; chunk++) {
      int from = chunk * CHUNK;
      int to = Math.min(inBackground.size(), from + CHUNK);
      List<Opening> openings = List.copyOf(inBackground.subList(from, to));
      Clock clock = shard.clock();
      shard
          .background()
          .run(
              "open " + chunk % QUEUES,
              () -> openings.stream().map(opening -> open(opening, clock)).toList(),
              (opened, failure) -> {
                if (opened != null) {
                  opened.forEach(this::tell);
                } else {
                  openings.forEach(o -> listener.onOpened(o.assigned(), null, failure));
                }
                if (--left[0] == 0) {
                  done.run();
                }
              });
    }
  }

  private static Opened open(Opening opening, Clock clock) {
    AssignedLog assigned = opening.assigned();
    try {
      LogSummary left = opening.left();
      if (left != null && left.isStillTrue(opening.directory())) {
        Opened resumed = resume(assigned, opening.directory(), left, false, clock);
        if (resumed.log() != null) {
          syncIfAsked(resumed.log());
        }
        return resumed;
      }
      return new Opened(
          assigned, openChecked(assigned, opening.directory(), opening.opening(), clock), null);
    } catch (IOException | RuntimeException e) {
      return new Opened(assigned, null, e);
    }
  }

  private static Opened resume(
      AssignedLog assigned, Directory directory, LogSummary left, boolean clean, Clock clock) {
    try {
      PartitionLog log =
          PartitionLog.resume(assigned.id(), directory, assigned.settings(), left, clean, clock);
      return new Opened(assigned, log, null);
    } catch (CorruptLog e) {
      return new Opened(assigned, null, e);
    }
  }

  /** A log that ends below what was once synced has lost files: it is not served as if whole. */
  static PartitionLog openChecked(
      AssignedLog assigned, Directory directory, LogOpening opening, Clock clock)
      throws IOException {
    PartitionLog log =
        PartitionLog.open(assigned.id(), directory, assigned.settings(), opening, clock);
    if (log.logEndOffset() < opening.recoveryPoint()) {
      long end = log.logEndOffset();
      log.close(false);
      throw new CorruptLog(
          "%s ends at offset %d though it was synced up to %d: files are missing; restore them from a copy, or delete and create the topic again"
              .formatted(directory.path(), end, opening.recoveryPoint()));
    }
    syncIfAsked(log);
    return log;
  }

  /** Where what is acknowledged is synced, that holds for what the run before left unsynced. */
  private static void syncIfAsked(PartitionLog log) throws IOException {
    if (!log.settings().syncBeforeAck() || log.syncedEndOffset() == log.logEndOffset()) {
      return;
    }
    try {
      log.rewriteAndWait();
      log.releaseIdleFiles();
      log.releaseIdleFiles();
    } catch (IOException e) {
      log.close(false);
      throw e;
    }
  }
}
