package dev.tidemark.broker;

import dev.tidemark.broker.request.FolderMoves;
import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogSettings;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.HostedReplica;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;
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

  /** The background queue of all that makes, renames and removes copies. */
  static final String QUEUE = "move";

  private static final long LEAVE_AGAIN_MS = 10_000;

  private final Shard shard;
  private final Partitions partitions;
  private final Port port;
  private final Map<LogId, PartitionMove> moves = new LinkedHashMap<>();
  private boolean stopped;

  /** What a move needs of the broker. */
  interface Port {
    List<DataFolder> folders();

    boolean isOnline(DataFolder folder);

    /** The slow work on a folder. */
    FolderWork work(DataFolder folder);

    LogSettings settings(String topic);

    LedPartitionCalls calls();

    /** False when the metadata want no replica here any more. */
    boolean isAssigned(LogId id);

    /** Whether the metadata name this broker as the leader. */
    boolean isLed(LogId id);

    /** A partition that served serves no more. */
    void wentOffline(LogId id);

    /** Serves a log that was opened. */
    void serve(PartitionLog log, long knownHighWatermark);

    /** The partition is to be opened again from where it lies. */
    void interrupted(DataFolder folder, LogId id);

    /** A folder that is not needed any more goes after a while. */
    void deleteLater(DataFolder folder, String name);
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

  boolean isStopped() {
    return stopped;
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
    HostedReplica replica = partitions.replica(topic, partition);
    if (replica == null) {
      return partitions.missing(topic, partition);
    }
    if (!port.isOnline(target) || replica.log().failure() != null) {
      return Errors.KAFKA_STORAGE_ERROR;
    }
    PartitionMove before = moves.get(replica.log().id());
    if (before != null && before.to().equals(target)) {
      return Errors.NONE;
    }
    if (before != null) {
      before.cancel();
    }
    if (!target.holds(replica.log().id())) {
      begin(replica, target);
    }
    return Errors.NONE;
  }

  private void begin(HostedReplica replica, DataFolder target) {
    LogId id = replica.log().id();
    for (DataFolder folder : port.folders()) {
      if (folder.holds(id)) {
        PartitionMove move = new PartitionMove(shard, this, port, replica, folder, target);
        moves.put(id, move);
        move.begin();
        return;
      }
    }
  }

  @Override
  public List<FutureReplica> underWay() {
    List<FutureReplica> all = new ArrayList<>();
    for (PartitionMove move : moves.values()) {
      FutureReplica future = move.future();
      if (future != null) {
        all.add(future);
      }
    }
    return all;
  }

  /**
   * Has {@code delete} told, once a move has come to its end, which folders hold the partition
   * then. Returns false when nothing moves that must not be disturbed.
   */
  boolean deferDeletion(LogId id, Consumer<DataFolder> delete) {
    PartitionMove move = moves.get(id);
    return move != null && move.deferDeletion(delete);
  }

  /** True while a deleted partition of that name may still change its folder. */
  boolean occupies(LogId newcomer) {
    for (PartitionMove move : moves.values()) {
      LogId id = move.id();
      if (move.isReplacing()
          && id.folderName().equals(newcomer.folderName())
          && !id.equals(newcomer)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Removes copies that an earlier run has left, but for those of partitions that are offline: they
   * tell that a partition lies in a folder that is not here.
   */
  void removeLeftCopies() {
    List<String> needed = partitions.offline().stream().map(DataFolder::futureName).toList();
    for (DataFolder folder : port.folders()) {
      for (String name : folder.takeCopies(needed)) {
        shard
            .background()
            .run(
                QUEUE,
                () -> {
                  folder.directory().delete(name);
                  return name;
                },
                (done, failure) -> {
                  if (failure != null) {
                    LOG.warn("A copy stays until the next start: {}", failure.getMessage());
                  }
                });
      }
    }
  }

  /**
   * Frees, as soon as it can be, the name in a folder that a partition has left: who found it there
   * without the new folder would take it for the partition. Not before that one serves.
   */
  void leaveLater(LogId id, DataFolder old) {
    shard.timers().schedule(LEAVE_AGAIN_MS, () -> leave(id, old));
  }

  private void leave(LogId id, DataFolder old) {
    if (stopped || old.holds(id)) {
      return;
    }
    boolean served = partitions.replica(id.topicId(), id.partition()) != null;
    if (isMoving(id) || (port.isAssigned(id) && !served)) {
      leaveLater(id, old);
      return;
    }
    shard
        .background()
        .run(
            QUEUE,
            () -> DataFolder.leave(old.directory(), id),
            (name, failure) -> {
              if (name == null) {
                leaveLater(id, old);
              } else {
                port.deleteLater(old, name);
              }
            });
  }

  boolean isMoving(LogId id) {
    return moves.containsKey(id);
  }

  // --- for the moves ---

  boolean isHosted(HostedReplica replica) {
    return replica.role() != null && replica.equals(partitions.replicaOf(replica.log()));
  }

  boolean isOnItsWay(LogId id, DataFolder target) {
    PartitionMove move = moves.get(id);
    return move != null && move.to().equals(target);
  }

  void takeOffline(LogId id, String why) {
    partitions.takeOffline(id, why);
    port.wentOffline(id);
  }

  void ended(PartitionMove move) {
    moves.remove(move.id(), move);
  }
}
