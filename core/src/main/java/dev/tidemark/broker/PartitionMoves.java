package dev.tidemark.broker;

import dev.tidemark.broker.request.FolderMoves;
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
import dev.tidemark.replica.PartitionLeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves partitions to other data folders while they serve (KIP-113). A copy under the suffix
 * -future is brought up to the log in the background; then the new folder is noted in the cluster's
 * metadata, the partition pauses for the last few records, and the copy takes its name and place in
 * a new leader epoch. After a crash before that, the copy goes and the old folder serves. Owned by
 * the data shard.
 */
final class PartitionMoves implements FolderMoves {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionMoves.class);
  private static final String QUEUE = "move";
  private static final int STEP_BYTES = 1 << 20;

  private final Shard shard;
  private final Partitions partitions;
  private final Port port;
  private final Map<LogId, Move> moves = new LinkedHashMap<>();
  private boolean stopped;

  /** What a move needs of the broker. */
  interface Port {
    List<DataFolder> folders();

    boolean isOnline(DataFolder folder);

    LogSettings settings(String topic);

    LedPartitionCalls calls();

    /** A partition that served serves no more. */
    void wentOffline(LogId id);

    /** Serves a log that was opened. */
    void serve(PartitionLog log, int leaderEpoch);

    /** The partition is to be opened again from where it lies. */
    void interrupted(DataFolder folder, LogId id);

    /** A folder that is not needed any more goes after a while. */
    void deleteLater(DataFolder folder, String name);
  }

  private static final class Move {
    final PartitionLeader leader;
    final LogId id;
    final DataFolder from;
    final DataFolder to;
    @Nullable LogCopy copy;
    KnownOffsets.@Nullable Entry known;
    boolean cancelled;

    Move(PartitionLeader leader, DataFolder from, DataFolder to) {
      this.leader = leader;
      this.id = leader.log().id();
      this.from = from;
      this.to = to;
    }

    LogCopy copy() {
      LogCopy begun = copy;
      if (begun == null) {
        throw new IllegalStateException("The copy of " + id + " was not begun");
      }
      return begun;
    }
  }

  PartitionMoves(Shard shard, Partitions partitions, Port port) {
    this.shard = shard;
    this.partitions = partitions;
    this.port = port;
  }

  /** Moves end; the next start removes their copies. */
  void stop() {
    stopped = true;
  }

  @Override
  public Errors move(String topic, int partition, String path) {
    DataFolder target = null;
    for (DataFolder folder : port.folders()) {
      if (folder.directory().path().equals(path)) {
        target = folder;
      }
    }
    if (target == null) {
      return Errors.LOG_DIR_NOT_FOUND;
    }
    PartitionLeader leader = partitions.find(topic, partition);
    if (leader == null) {
      return partitions.missing(topic, partition);
    }
    if (!port.isOnline(target) || leader.log().failure() != null) {
      return Errors.KAFKA_STORAGE_ERROR;
    }
    Move before = moves.get(leader.log().id());
    if (before != null && before.to.equals(target)) {
      return Errors.NONE;
    }
    if (before != null) {
      before.cancelled = true;
      moves.remove(before.id);
    }
    if (!target.holds(leader.log().id())) {
      begin(leader, target);
    }
    return Errors.NONE;
  }

  @Override
  public List<FutureReplica> underWay() {
    List<FutureReplica> all = new ArrayList<>();
    for (Move move : moves.values()) {
      LogCopy copy = move.copy;
      if (copy != null) {
        all.add(
            new FutureReplica(
                move.id.topic(),
                move.id.partition(),
                move.to.directory().path(),
                copy.sizeInBytes(),
                Math.max(0, move.leader.log().logEndOffset() - copy.endOffset())));
      }
    }
    return all;
  }

  private void begin(PartitionLeader leader, DataFolder target) {
    LogId id = leader.log().id();
    for (DataFolder folder : port.folders()) {
      if (folder.holds(id)) {
        Move move = new Move(leader, folder, target);
        moves.put(id, move);
        long start = leader.log().logStartOffset();
        LogSettings settings = port.settings(id.topic());
        LOG.info("{} moves to {}", id, target.directory().path());
        shard
            .background()
            .run(
                QUEUE,
                () -> LogCopy.begin(id, target.directory(), settings, start, shard.clock()),
                (copy, failure) -> {
                  move.copy = copy;
                  if (copy == null) {
                    fail(move, failure);
                  } else {
                    copyOn(move);
                  }
                });
        return;
      }
    }
  }

  private boolean isOver(Move move) {
    boolean gone =
        move.leader.isStopped()
            || move.leader.log().failure() != null
            || !move.leader.equals(partitions.find(move.id.topicId(), move.id.partition()));
    if (!move.cancelled && !gone && !stopped) {
      return false;
    }
    moves.remove(move.id, move);
    abandon(move);
    return true;
  }

  private void copyOn(Move move) {
    if (isOver(move)) {
      return;
    }
    PartitionLog log = move.leader.log();
    long from = Math.max(move.copy().endOffset(), log.logStartOffset());
    FileSlice slice;
    boolean last;
    try {
      LogRead read = log.read(from, STEP_BYTES, true, log.logEndOffset());
      slice = read.slice();
      last = slice == null || read.nextOffset() >= log.logEndOffset();
    } catch (OffsetOutOfRange | IOException e) {
      fail(move, e);
      return;
    }
    long start = log.logStartOffset();
    shard
        .background()
        .run(
            QUEUE,
            () -> {
              try {
                move.copy().startAtLeastAt(start);
                if (slice != null) {
                  move.copy().append(slice);
                }
              } finally {
                if (slice != null) {
                  slice.release();
                }
              }
              if (last) {
                move.copy().flush(); // so that little is left to sync while the partition pauses
              }
              return move;
            },
            (done, failure) -> {
              if (failure != null) {
                fail(move, failure);
              } else if (last) {
                assign(move);
              } else {
                copyOn(move);
              }
            });
  }

  /** Before anything is written to the new folder alone, the metadata has to say so. */
  private void assign(Move move) {
    if (isOver(move)) {
      return;
    }
    port.calls()
        .assign(
            move.id,
            move.to.directoryId(),
            new Reply<>() {
              @Override
              public void succeed(Uuid directoryId) {
                if (!isOver(move)) {
                  pause(move);
                }
              }

              @Override
              public void fail(Throwable cause) {
                PartitionMoves.this.fail(move, cause);
              }
            });
  }

  private void pause(Move move) {
    PartitionLog source = move.leader.log();
    move.leader.stop();
    KnownOffsets.Entry known =
        new KnownOffsets.Entry(
            move.id, source.recoveryPoint(), source.logStartOffset(), move.leader.highWatermark());
    move.known = known;
    move.from.remember(known);
    partitions.takeOffline(move.id, "it moves to " + move.to.directory().path());
    port.wentOffline(move.id);
    shard
        .background()
        .run(PartitionLeader.SYNCS, () -> source, (log, none) -> replace(move, source));
  }

  private void replace(Move move, PartitionLog source) {
    LogSettings settings = port.settings(move.id.topic());
    shard
        .background()
        .run(
            QUEUE,
            () -> {
              long end = source.logEndOffset();
              move.copy().complete(source);
              source.close(false);
              move.copy().takeName();
              Directory target = move.to.directory().directory(move.id.folderName());
              LogOpening opening = new LogOpening(true, end, source.logStartOffset());
              return PartitionLog.open(move.id, target, settings, opening, shard.clock());
            },
            (log, failure) -> {
              moves.remove(move.id, move);
              if (log == null) {
                LOG.error("The move of {} failed at its end: {}", move.id, String.valueOf(failure));
                interrupted(move);
              } else {
                move.to.added(move.id);
                serve(move, log);
              }
            });
  }

  /** Of two folders with the partition's name only the new one counts, also at the next start. */
  private void interrupted(Move move) {
    if (move.copy().isNamed()) {
      move.from.removed(move.id);
      move.to.added(move.id);
      KnownOffsets.Entry known = move.known;
      if (known != null) {
        move.to.remember(known);
      }
      port.interrupted(move.to, move.id);
    } else {
      port.interrupted(move.from, move.id);
    }
  }

  private void serve(Move move, PartitionLog log) {
    port.calls()
        .renew(
            move.id,
            new Reply<>() {
              @Override
              public void succeed(Integer leaderEpoch) {
                leaveOldFolder(move);
                port.serve(log, leaderEpoch);
                LOG.info("{} has moved to {}", move.id, move.to.directory().path());
              }

              @Override
              public void fail(Throwable cause) {
                LOG.error("The new leader epoch of {} failed: {}", move.id, cause.getMessage());
                leaveOldFolder(move);
                close(log);
                port.interrupted(move.to, move.id);
              }
            });
  }

  private void leaveOldFolder(Move move) {
    String name = DataFolder.deletedName(move.id);
    try {
      move.from.directory().rename(move.id.folderName(), name);
      port.deleteLater(move.from, name);
    } catch (IOException e) {
      LOG.warn("{} stays in its old folder too: {}", move.id, e.getMessage());
    }
    move.from.removed(move.id);
  }

  private static void close(PartitionLog log) {
    try {
      log.close(false);
    } catch (IOException e) {
      LOG.warn("The log of {} was not closed in order: {}", log.id(), e.getMessage());
    }
  }

  private void fail(Move move, @Nullable Throwable cause) {
    LOG.error(
        "{} does not move to {}, it goes on where it is: {}",
        move.id,
        move.to.directory().path(),
        cause == null ? "" : cause.getMessage());
    moves.remove(move.id, move);
    abandon(move);
  }

  private void abandon(Move move) {
    LogCopy copy = move.copy;
    if (copy != null) {
      shard
          .background()
          .run(
              QUEUE,
              () -> {
                copy.abandon();
                return copy;
              },
              (done, failure) -> {
                if (failure != null) {
                  LOG.debug("A copy stays until the next start: {}", failure.getMessage());
                }
              });
    }
  }
}
