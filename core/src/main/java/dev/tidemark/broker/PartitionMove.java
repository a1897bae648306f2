package dev.tidemark.broker;

import dev.tidemark.broker.request.FolderMoves.FutureReplica;
import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import dev.tidemark.env.FileSlice;
import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.LogRead;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.OffsetOutOfRange;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.metadata.Reply;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.PartitionReplica;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition on its way to another data folder. While it is copied the move may end at any time,
 * and the partition stays where it is. From the pause on it goes to its end, in one folder or the
 * other; a deletion of the topic waits for that. Owned by the data shard.
 *
 * <p>The metadata names the new folder before anything is there that the old one has not got. If
 * the move ends without that, the old folder is named again, and only then the copy goes: as long
 * as it lies there, no start takes the partition for a new one (see {@link DataFolderSet#locate}).
 */
final class PartitionMove {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionMove.class);
  private static final int STEP_BYTES = 1 << 20;
  private static final long RESTORE_AGAIN_MS = 10_000;

  private final Shard shard;
  private final PartitionMoves all;
  private final PartitionMoves.Port port;
  private final HostedReplica replica;
  private final LogId id;
  private final DataFolder from;
  private final DataFolder to;
  private @Nullable LogCopy copy;
  private long copiedBytes;
  private long copiedTo;
  private boolean over;
  private boolean assigned;
  private boolean unsure;
  private boolean replacing;
  private boolean hasLeft;
  private @Nullable Consumer<DataFolder> deletion;

  PartitionMove(
      Shard shard,
      PartitionMoves all,
      PartitionMoves.Port port,
      HostedReplica replica,
      DataFolder from,
      DataFolder to) {
    this.shard = shard;
    this.all = all;
    this.port = port;
    this.replica = replica;
    this.id = replica.log().id();
    this.from = from;
    this.to = to;
  }

  LogId id() {
    return id;
  }

  DataFolder to() {
    return to;
  }

  /** What clients are told of the copy; null when there is none. */
  @Nullable FutureReplica future() {
    if (copy == null || hasLeft) {
      return null;
    }
    long lag = Math.max(0, replica.log().logEndOffset() - copiedTo);
    return new FutureReplica(id.topic(), id.partition(), to.directory().path(), copiedBytes, lag);
  }

  /** True from the pause on, until it is served again. */
  boolean isReplacing() {
    return replacing;
  }

  /** The partition stays where it is; without effect once it has paused. */
  void cancel() {
    if (!replacing) {
      end();
    }
  }

  /**
   * Has {@code delete} told at the end of the move which folders hold the partition; false when
   * that is as it was before the move, and may be done at once.
   */
  boolean deferDeletion(Consumer<DataFolder> delete) {
    if (replacing) {
      deletion = delete;
    }
    return replacing;
  }

  private <T> void inBackground(Background.Work<T> work, Background.Completion<T> completion) {
    shard.background().run(PartitionMoves.QUEUE, work, completion);
  }

  // --- copying ---

  void begin() {
    LOG.info("{} moves to {}", id, to.directory().path());
    LogSettings settings = port.settings(id.topic());
    long start = replica.log().logStartOffset();
    inBackground(
        () -> LogCopy.begin(id, to.directory(), settings, start, shard.clock()),
        (begun, failure) -> {
          copy = begun;
          if (over) {
            discard();
          } else if (begun == null) {
            fail(failure);
          } else {
            copyOn(begun);
          }
        });
  }

  private void copyOn(LogCopy into) {
    if (isOver()) {
      return;
    }
    PartitionLog log = replica.log();
    long start = log.logStartOffset();
    FileSlice slice;
    boolean last;
    try {
      long next = Math.max(into.endOffset(), start);
      LogRead read = log.read(next, STEP_BYTES, true, log.logEndOffset());
      slice = read.slice();
      last = slice == null || read.nextOffset() >= log.logEndOffset();
    } catch (OffsetOutOfRange | IOException e) {
      fail(e);
      return;
    }
    inBackground(
        () -> copyStep(into, start, slice, last),
        (done, failure) -> {
          if (failure != null) {
            fail(failure);
            return;
          }
          copiedBytes = into.sizeInBytes();
          copiedTo = into.endOffset();
          if (last) {
            assign(into);
          } else {
            copyOn(into);
          }
        });
  }

  private static LogCopy copyStep(
      LogCopy into, long sourceStart, @Nullable FileSlice slice, boolean last) throws IOException {
    try {
      into.startAtLeastAt(sourceStart);
      if (slice != null) {
        into.append(slice);
      }
    } finally {
      if (slice != null) {
        slice.release();
      }
    }
    if (last) {
      into.flush(); // so that little is left to sync while the partition pauses
    }
    return into;
  }

  /** Before anything is written to the new folder alone, the metadata has to say so. */
  private void assign(LogCopy into) {
    if (isOver()) {
      return;
    }
    assigned = true;
    port.calls()
        .assign(
            id,
            to.directoryId(),
            new Reply<>() {
              @Override
              public void succeed(Uuid directoryId) {
                if (!isOver()) {
                  pause(into);
                }
              }

              @Override
              public void fail(Throwable cause) {
                unsure = true;
                PartitionMove.this.fail(cause);
              }
            });
  }

  // --- ending early ---

  private boolean isOver() {
    if (!over && (all.isStopped() || replica.log().failure() != null || !all.isHosted(replica))) {
      end();
    }
    return over;
  }

  private void fail(@Nullable Throwable cause) {
    if (!over) {
      LOG.error(
          "{} does not move to {}, it goes on where it is: {}",
          id,
          to.directory().path(),
          cause == null ? "" : cause.getMessage());
      end();
    }
  }

  private void end() {
    if (!over) {
      finish();
      restore();
    }
  }

  private void finish() {
    over = true;
    all.ended(this);
  }

  /**
   * Has the metadata name the old folder again if it may name the new one; the copy goes then. That
   * is asked for here and now: a later move of the partition asks after it.
   */
  private void restore() {
    if (!assigned) {
      discard();
    } else if (all.isStopped()) {
      close(copy);
    } else if (unsure) {
      restoreLater();
    } else {
      assignBack();
    }
  }

  private void assignBack() {
    port.calls()
        .assign(
            id,
            from.directoryId(),
            new Reply<>() {
              @Override
              public void succeed(Uuid directoryId) {
                discard();
              }

              @Override
              public void fail(Throwable cause) {
                restoreLater();
              }
            });
  }

  /**
   * A call that failed may have reached the disk of the metadata log, and be found there by the
   * next start. Only what is written after it settles that; a new leader epoch always is.
   */
  private void restoreLater() {
    shard.timers().schedule(RESTORE_AGAIN_MS, this::restoreAgain);
  }

  private void restoreAgain() {
    if (all.isStopped()) {
      close(copy);
    } else if (all.isMoving(id)) {
      restoreLater();
    } else if (!from.holds(id) || !port.isAssigned(id)) {
      discard(); // another move has ended elsewhere
    } else {
      port.calls()
          .renew(
              id,
              new Reply<>() {
                @Override
                public void succeed(Integer leaderEpoch) {
                  if (all.isMoving(id)) {
                    restoreLater();
                  } else {
                    assignBack();
                  }
                }

                @Override
                public void fail(Throwable cause) {
                  restoreLater();
                }
              });
    }
  }

  /** The copy goes, unless another one is made in its place. */
  private void discard() {
    LogCopy unneeded = copy;
    if (unneeded == null) {
      return;
    }
    if (all.isOnItsWay(id, to)) {
      close(unneeded);
      return;
    }
    inBackground(
        () -> {
          unneeded.abandon();
          return unneeded;
        },
        (done, failure) -> {
          if (failure != null) {
            LOG.debug("A copy stays until the next start: {}", failure.getMessage());
          }
        });
  }

  private void close(@Nullable LogCopy unneeded) {
    if (unneeded != null) {
      inBackground(
          () -> {
            unneeded.close();
            return unneeded;
          },
          (done, failure) -> {
            if (failure != null) {
              LOG.debug("A copy was not closed in order: {}", failure.getMessage());
            }
          });
    }
  }

  // --- replacing ---

  private void pause(LogCopy into) {
    replacing = true;
    PartitionLog source = replica.log();
    replica.stop();
    from.remember(known());
    all.takeOffline(id, "it moves to " + to.directory().path());
    port.work(from).run(PartitionReplica.SYNCS, () -> source, (log, none) -> replace(into, source));
  }

  private KnownOffsets.Entry known() {
    PartitionLog log = replica.log();
    return new KnownOffsets.Entry(
        id, log.recoveryPoint(), log.logStartOffset(), replica.highWatermark());
  }

  private void replace(LogCopy into, PartitionLog source) {
    inBackground(
        () -> {
          try {
            into.complete(source);
          } finally {
            source.close(false);
          }
          into.takeName();
          return into;
        },
        (done, failure) -> {
          if (into.isNamed()) {
            from.removed(id);
            to.added(id);
          }
          if (failure == null) {
            leaveOldFolder(source);
          } else {
            interrupted(into.isNamed() ? to : from, failure);
          }
        });
  }

  private void leaveOldFolder(PartitionLog source) {
    hasLeft = true;
    inBackground(
        () -> DataFolder.leave(from.directory(), id),
        (name, failure) -> {
          if (name == null) {
            stays(failure);
          } else {
            port.deleteLater(from, name);
          }
          open(source);
        });
  }

  private void stays(@Nullable Throwable failure) {
    LOG.warn(
        "{} stays in its old folder too; it is tried again: {}",
        id,
        failure == null ? "" : failure.getMessage());
    all.leaveLater(id, from);
  }

  private void open(PartitionLog source) {
    LogSettings settings = port.settings(id.topic());
    Directory target = to.directory().directory(id.folderName());
    LogOpening opening = new LogOpening(true, source.logEndOffset(), source.logStartOffset());
    inBackground(
        () -> PartitionLog.open(id, target, settings, opening, shard.clock()),
        (log, failure) -> {
          if (log == null) {
            interrupted(to, failure);
          } else {
            serve(log);
          }
        });
  }

  private void serve(PartitionLog log) {
    if (all.isStopped()) {
      finish();
      LogCloser.closeUnneeded(log);
      return;
    }
    if (!port.isLed(id)) {
      served(log);
      return;
    }
    port.calls()
        .renew(
            id,
            new Reply<>() {
              @Override
              public void succeed(Integer leaderEpoch) {
                served(log);
              }

              @Override
              public void fail(Throwable cause) {
                LogCloser.closeUnneeded(log);
                interrupted(to, cause);
              }
            });
  }

  private void served(PartitionLog log) {
    finish();
    if (deletion == null) {
      port.serve(log, replica.highWatermark());
      LOG.info("{} has moved to {}", id, to.directory().path());
    } else {
      LogCloser.closeUnneeded(log);
      delete(to);
    }
  }

  /** Of two folders with the partition's name only {@code home} counts, also at the next start. */
  private void interrupted(DataFolder home, @Nullable Throwable cause) {
    finish();
    if (home.equals(from)) {
      restore();
    }
    if (deletion != null) {
      delete(home);
      return;
    }
    LOG.error("The move of {} failed at its end: {}", id, String.valueOf(cause));
    if (!home.equals(from) && !hasLeft) {
      all.leaveLater(id, from);
    }
    home.remember(known());
    port.interrupted(home, id);
  }

  /** The old folder may still have it too, when its disk failed. */
  private void delete(DataFolder home) {
    Consumer<DataFolder> delete = deletion;
    if (delete != null) {
      delete.accept(home);
      if (!home.equals(from) && !hasLeft) {
        delete.accept(from);
      }
    }
  }
}
