package org.apache.kafka.raft;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.feature.SupportedVersionRange;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.server.common.serialization.RecordSerde;
import org.jspecify.annotations.NullMarked;

/**
 * Makes a raft client with an own message queue, memory and source of chance. Kafka keeps the
 * constructor that takes them to its own package, so this one class lies in it.
 */
@NullMarked
public final class SeededRaftClient {
  private SeededRaftClient() {}

  /** A client that is yet to be initialised. */
  public static <T> KafkaRaftClient<T> create(
      int nodeId,
      Uuid directoryId,
      String clusterId,
      RecordSerde<T> serde,
      RaftLog log,
      NetworkChannel channel,
      RaftMessageQueue queue,
      ExpirationService expiration,
      MemoryPool memory,
      Time time,
      Random random,
      Collection<InetSocketAddress> bootstrapServers,
      Endpoints localListeners,
      SupportedVersionRange kraftVersions,
      boolean canBecomeVoter,
      int fetchMaxWaitMs,
      LogContext logContext,
      QuorumConfig config) {
    return new KafkaRaftClient<>(
        OptionalInt.of(nodeId),
        directoryId,
        serde,
        channel,
        queue,
        log,
        memory,
        time,
        expiration,
        fetchMaxWaitMs,
        canBecomeVoter,
        clusterId,
        bootstrapServers,
        localListeners,
        kraftVersions,
        logContext,
        random,
        config);
  }

  /** Where the leader that the client knows is called on a listener; empty when it is unknown. */
  public static Optional<InetSocketAddress> leaderAddress(
      KafkaRaftClient<?> client, ListenerName listener) {
    return client.quorum().leaderEndpoints().address(listener);
  }
}
