package dev.tidemark.broker;

import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.HostPort;
import dev.tidemark.metadata.BrokerControlSettings;
import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumTimeouts;
import java.util.List;

/** What server.properties says of a node's part in a cluster. Times are in milliseconds. */
public final class ClusterSettings {
  /** How long the leader of the metadata log lets a fetch wait for records, at most. */
  private static final int MAX_FETCH_WAIT_MS = 300;

  private static final String ON = "on";
  private static final long MS_PER_SECOND = 1000;

  private final BrokerSettings settings;

  ClusterSettings(BrokerSettings settings) {
    this.settings = settings;
  }

  public boolean isBroker() {
    return settings.get(HonouredSettings.PROCESS_ROLES).contains("broker");
  }

  public boolean isController() {
    return settings.get(HonouredSettings.PROCESS_ROLES).contains("controller");
  }

  /**
   * True for a node that is a whole cluster: nobody can call its controller, and it calls nobody.
   */
  public boolean isAlone() {
    return isBroker() && isController() && settings.allListeners().controllers().isEmpty();
  }

  /** The listener on which controllers are called; empty for a node that is alone. */
  public String controllerListener() {
    return settings.allListeners().controllerName();
  }

  /** The listener on which brokers call each other; empty on a node that is only a controller. */
  public String interBrokerListener() {
    return settings.allListeners().interBrokerName();
  }

  /** Whom to ask first for the quorum; may be empty for its only voter. */
  public List<QuorumAddress> bootstrapServers() {
    return settings.get(HonouredSettings.CONTROLLER_QUORUM_BOOTSTRAP_SERVERS).stream()
        .map(HostPort::parse)
        .map(server -> new QuorumAddress(server.host(), server.port()))
        .toList();
  }

  public QuorumTimeouts quorumTimeouts() {
    int fetchTimeoutMs = settings.get(HonouredSettings.CONTROLLER_QUORUM_FETCH_TIMEOUT_MS);
    return new QuorumTimeouts(
        settings.get(HonouredSettings.CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS),
        settings.get(HonouredSettings.CONTROLLER_QUORUM_ELECTION_BACKOFF_MAX_MS),
        fetchTimeoutMs,
        settings.get(HonouredSettings.CONTROLLER_QUORUM_REQUEST_TIMEOUT_MS),
        settings.get(HonouredSettings.CONTROLLER_QUORUM_RETRY_BACKOFF_MS),
        Math.max(1, Math.min(MAX_FETCH_WAIT_MS, fetchTimeoutMs / 2)));
  }

  /** What the controller needs to look after brokers. */
  public BrokerControlSettings brokerControl(String clusterId) {
    return new BrokerControlSettings(
        clusterId,
        sessionTimeoutMs(),
        settings.get(HonouredSettings.TIDEMARK_FENCING_FAST).equals(ON),
        settings.get(HonouredSettings.AUTO_LEADER_REBALANCE_ENABLE),
        settings.get(HonouredSettings.LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS) * MS_PER_SECOND);
  }

  /** broker.session.timeout.ms: silence that fences. */
  public int sessionTimeoutMs() {
    return settings.get(HonouredSettings.BROKER_SESSION_TIMEOUT_MS);
  }

  /** broker.heartbeat.interval.ms. */
  public int heartbeatIntervalMs() {
    return settings.get(HonouredSettings.BROKER_HEARTBEAT_INTERVAL_MS);
  }

  /** initial.broker.registration.timeout.ms: a start without a registration fails after it. */
  public int registrationTimeoutMs() {
    return settings.get(HonouredSettings.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS);
  }

  /** tidemark.leader.lease: whether leaders serve only while a lease holds. */
  public boolean leaderLease() {
    return settings.get(HonouredSettings.TIDEMARK_LEADER_LEASE).equals(ON);
  }
}
