package dev.tidemark.broker.request;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/** Moves of partitions between the data folders of this broker (KIP-113). */
public interface FolderMoves {
  /** Begins to move a partition to the folder with that path, or says why not. */
  Errors move(String topic, int partition, String path);

  /** The moves under way. */
  List<FutureReplica> underWay();

  /**
   * A copy that is not caught up yet.
   *
   * @param path the folder it is copied to
   * @param offsetLag how many offsets it is behind
   */
  record FutureReplica(
      String topic, int partition, String path, long sizeInBytes, long offsetLag) {}
}
