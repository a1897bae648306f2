package dev.tidemark.quorum;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.raft.Endpoints;
import org.apache.kafka.raft.QuorumConfig;

/** What a node of the quorum is told, as Kafka's client wants it. */
final class RaftSettings {
  /** For a lone voter that has nobody to call: the client insists on somebody. */
  private static final InetSocketAddress NOBODY =
      InetSocketAddress.createUnresolved("localhost", 1);

  private RaftSettings() {}

  static QuorumConfig config(QuorumTimeouts timeouts) {
    Map<String, Object> values = new TreeMap<>();
    values.put(QuorumConfig.QUORUM_ELECTION_TIMEOUT_MS_CONFIG, timeouts.electionTimeoutMs());
    values.put(QuorumConfig.QUORUM_ELECTION_BACKOFF_MAX_MS_CONFIG, timeouts.electionBackoffMaxMs());
    values.put(QuorumConfig.QUORUM_FETCH_TIMEOUT_MS_CONFIG, timeouts.fetchTimeoutMs());
    values.put(QuorumConfig.QUORUM_REQUEST_TIMEOUT_MS_CONFIG, timeouts.requestTimeoutMs());
    values.put(QuorumConfig.QUORUM_RETRY_BACKOFF_MS_CONFIG, timeouts.retryBackoffMs());
    values.put(QuorumConfig.QUORUM_LINGER_MS_CONFIG, 0);
    return new QuorumConfig(new AbstractConfig(QuorumConfig.CONFIG_DEF, values, false));
  }

  /** Whom this node may ask; never itself. */
  static List<InetSocketAddress> bootstrapServers(QuorumSettings settings) {
    List<InetSocketAddress> servers = new ArrayList<>();
    for (QuorumAddress server : settings.bootstrapServers()) {
      if (!server.equals(settings.address())) {
        servers.add(server.unresolved());
      }
    }
    return servers.isEmpty() ? List.of(NOBODY) : servers;
  }

  static Endpoints listeners(QuorumSettings settings) {
    QuorumAddress address = settings.address();
    return address == null
        ? Endpoints.empty()
        : Endpoints.fromInetSocketAddresses(
            Map.of(ListenerName.normalised(settings.listenerName()), address.unresolved()));
  }
}
