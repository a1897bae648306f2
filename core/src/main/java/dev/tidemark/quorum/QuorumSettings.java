package dev.tidemark.quorum;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * What a node of the quorum is told, voter or observer; which of the two it is stands in the log.
 *
 * @param nodeId node.id
 * @param directoryId the data folder that holds the metadata log
 * @param clusterId peers of other clusters are refused
 * @param listenerName of the controllers: the first of controller.listener.names
 * @param address where this node is called if it is a voter; null when nobody calls it
 * @param bootstrapServers controller.quorum.bootstrap.servers: whom to ask first; may be empty for
 *     the only voter
 * @param canVote true for a controller, which may be made a voter
 */
public record QuorumSettings(
    int nodeId,
    Uuid directoryId,
    String clusterId,
    String listenerName,
    @Nullable QuorumAddress address,
    List<QuorumAddress> bootstrapServers,
    boolean canVote,
    QuorumTimeouts timeouts,
    SnapshotSettings snapshots) {
  public QuorumSettings {
    bootstrapServers = List.copyOf(bootstrapServers);
  }
}
