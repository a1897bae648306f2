package dev.tidemark.broker;

import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.log.LogOpening;
import dev.tidemark.log.PartitionLog;
import dev.tidemark.replica.HostedReplica;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the logs of partitions that are new on this broker: when they are asked for, or when there
 * is time. Owned by the data shard.
 */
final class NewLogs {
  private static final Logger LOG = LoggerFactory.getLogger(NewLogs.class);
  private static final long MAKING_STEP_MS = 5;
  private static final int MADE_BETWEEN_LOOKS = 16;

  private final Shard shard;
  private final DataFolderSet folders;
  private final Partitions partitions;
  private final AssignmentCorrections corrections;
  private final Port port;

  /** Those whose name a deleted one has that still moves, or is being opened. */
  private final List<AssignedLog> delayed = new ArrayList<>(0);

  /** What this needs of the logs that are hosted. */
  interface Port {
    /** False before and after the broker follows the metadata. */
    boolean isOpen();

    /** Whether the folder that would be its own is in use by a deleted partition of that name. */
    boolean isOccupied(LogId id);

    /** Whether this broker is still to have it. */
    boolean isAssigned(LogId id);

    /** Serves it from now on. */
    HostedReplica serve(PartitionLog log);

    void wentOffline(LogId id, IOException why);
  }

  NewLogs(
      Shard shard,
      DataFolderSet folders,
      Partitions partitions,
      AssignmentCorrections corrections,
      Port port) {
    this.shard = shard;
    this.folders = folders;
    this.partitions = partitions;
    this.corrections = corrections;
    this.port = port;
  }

  /** Makes awaited partitions for a moment, then lets other events come first. */
  void makeAwaited() {
    long startMs = shard.clock().monotonicMs();
    boolean more = port.isOpen();
    while (more && shard.clock().monotonicMs() - startMs < MAKING_STEP_MS) {
      for (int i = 0; i < MADE_BETWEEN_LOOKS && more; i++) {
        more = partitions.makeNextAwaited();
      }
    }
    if (more) {
      shard.execute(this::makeAwaited);
    }
  }

  /** A folder's name is free again, which may be awaited. */
  void retryDelayed() {
    List<AssignedLog> late = List.copyOf(delayed);
    delayed.clear();
    late.stream().filter(one -> port.isAssigned(one.id())).forEach(partitions::await);
    makeAwaited();
  }

  /** Makes one; null if it has to wait or cannot be made. */
  @Nullable HostedReplica make(AssignedLog assigned) {
    LogId id = assigned.id();
    if (port.isOccupied(id)) {
      delayed.add(assigned);
      return null;
    }
    try {
      DataFolder folder = folders.locate(id, assigned.directoryId());
      folder.added(id);
      folder.requireFormatted();
      PartitionLog log =
          PartitionLog.open(
              id,
              folder.directory().directory(id.folderName()),
              assigned.settings(),
              LogOpening.unknown(),
              shard.clock());
      HostedReplica replica = port.serve(log);
      LOG.info("Created log for partition {} in {}", id, log.folder().path());
      corrections.found(assigned, folder);
      corrections.tell();
      return replica;
    } catch (IOException e) {
      port.wentOffline(id, e);
      return null;
    }
  }
}
