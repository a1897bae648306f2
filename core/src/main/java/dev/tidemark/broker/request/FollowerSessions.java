package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.replication.Replication;
import dev.tidemark.replica.fetch.LedPartitions;
import dev.tidemark.replica.fetch.ServedSession;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;

/**
 * The sessions of other brokers that follow partitions of this one: one for each of their
 * connections, and it ends with that. Owned by the data shard.
 */
public final class FollowerSessions {
  /** From here on a replica tells its broker epoch. */
  private static final short FIRST_VERSION_WITH_EPOCH = 15;

  private final LedPartitions partitions;
  private final Replication replication;
  private final Map<String, ServedSession> byConnection = new HashMap<>();

  public FollowerSessions(LedPartitions partitions, Replication replication) {
    this.partitions = partitions;
    this.replication = replication;
  }

  /** True of a fetch by another broker of the cluster. */
  boolean takes(Request request, FetchRequestData data) {
    return data.replicaState().replicaId() >= 0
        && request.version() >= FIRST_VERSION_WITH_EPOCH
        && replication.hasOthers();
  }

  void serve(Request request, FetchRequestData data) {
    String connection = request.client().connectionId();
    ServedSession session =
        byConnection.computeIfAbsent(connection, id -> replication.newSession(partitions));
    request.whenConnectionEnds(() -> end(connection));
    session.onFetch(data, request::answer);
  }

  private void end(String connection) {
    ServedSession session = byConnection.remove(connection);
    if (session != null) {
      session.close();
    }
  }
}
