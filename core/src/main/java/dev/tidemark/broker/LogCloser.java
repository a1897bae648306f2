package dev.tidemark.broker;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.PartitionLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the logs of a stopping broker cleanly, in the background on several threads. Where many
 * wait for a sync, one sync of each data folder stands for all.
 */
final class LogCloser {
  private static final Logger LOG = LoggerFactory.getLogger(LogCloser.class);
  private static final int QUEUES = 4;
  private static final int CHUNK = 128;

  /** Up to so many logs are synced one by one. */
  private static final int FEW = 64;

  private final Shard shard;
  private final List<Directory> folders;
  private final Consumer<@Nullable Throwable> done;
  private final List<PartitionLog> unsynced = new ArrayList<>();
  private @Nullable Throwable failure;

  /** {@code done} hears on the shard, after all were closed, what failed first, or null. */
  LogCloser(Shard shard, List<Directory> folders, Consumer<@Nullable Throwable> done) {
    this.shard = shard;
    this.folders = List.copyOf(folders);
    this.done = done;
  }

  private interface Step {
    /** Returns true for a log that needs more. */
    boolean run(PartitionLog log) throws IOException;
  }

  /** What became of some logs. */
  private record Outcome(List<PartitionLog> needMore, @Nullable IOException failure) {}

  /** Closes one that is not needed any more, for whatever it is worth. */
  static void closeUnneeded(PartitionLog log) {
    try {
      log.close(false);
    } catch (IOException e) {
      LOG.warn("The log of {} was not closed in order: {}", log.id(), e.getMessage());
    }
  }

  /** {@code failed} are logs that cannot be closed cleanly. */
  void close(List<PartitionLog> logs, List<PartitionLog> failed) {
    inChunks(
        failed,
        log -> {
          log.close(false);
          return false;
        },
        () -> inChunks(logs, LogCloser::writeOut, this::syncAll));
  }

  private static boolean writeOut(PartitionLog log) throws IOException {
    boolean needsSync = log.writeOut();
    if (!needsSync) {
      log.closeSynced();
    }
    return needsSync;
  }

  private void syncAll() {
    List<PartitionLog> all = List.copyOf(unsynced);
    if (all.size() <= FEW) {
      closeEach(all, false);
      return;
    }
    shard
        .background()
        .run(
            "stop 0",
            () -> {
              boolean synced = true;
              for (Directory folder : folders) {
                synced &= folder.syncAll();
              }
              return synced;
            },
            (synced, notSynced) -> closeEach(all, notSynced == null && synced != null && synced));
  }

  private void closeEach(List<PartitionLog> logs, boolean synced) {
    inChunks(
        logs,
        log -> {
          if (synced) {
            log.closeSynced();
          } else {
            log.close(true);
          }
          return false;
        },
        () -> done.accept(failure));
  }

  private void inChunks(List<PartitionLog> logs, Step step, Runnable next) {
    unsynced.clear();
    int chunks = (logs.size() + CHUNK - 1) / CHUNK;
    int[] left = {chunks};
    if (chunks == 0) {
      next.run();
    }
    for (int chunk = 0; chunk < chunks; chunk++) {
      int from = chunk * CHUNK;
      List<PartitionLog> some = logs.subList(from, Math.min(logs.size(), from + CHUNK));
      shard
          .background()
          .run(
              "stop " + chunk % QUEUES,
              () -> runEach(some, step),
              (outcome, thrown) -> {
                note(outcome, thrown);
                if (--left[0] == 0) {
                  next.run();
                }
              });
    }
  }

  private static Outcome runEach(List<PartitionLog> logs, Step step) {
    List<PartitionLog> needMore = new ArrayList<>();
    IOException first = null;
    for (PartitionLog log : logs) {
      try {
        if (step.run(log)) {
          needMore.add(log);
        }
      } catch (IOException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    return new Outcome(needMore, first);
  }

  private void note(@Nullable Outcome outcome, @Nullable Throwable thrown) {
    Throwable bad = outcome == null ? thrown : outcome.failure();
    if (outcome != null) {
      unsynced.addAll(outcome.needMore());
    }
    if (failure == null) {
      failure = bad;
    } else if (bad != null) {
      failure.addSuppressed(bad);
    }
  }
}
