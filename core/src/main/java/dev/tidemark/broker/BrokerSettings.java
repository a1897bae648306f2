package dev.tidemark.broker;

import static java.util.Objects.requireNonNull;

import dev.tidemark.broker.replication.ReplicationSettings;
import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.HostPort;
import dev.tidemark.broker.settings.InvalidSetting;
import dev.tidemark.broker.settings.ListenerAddress;
import dev.tidemark.broker.settings.ListenerSettings;
import dev.tidemark.broker.settings.Setting;
import dev.tidemark.broker.settings.SettingValues;
import dev.tidemark.broker.settings.SettingsParser;
import dev.tidemark.quorum.SnapshotSettings;
import dev.tidemark.replica.LagRule;
import dev.tidemark.replica.fetch.FetcherSettings;
import dev.tidemark.replica.fetch.QuotaWindow;
import dev.tidemark.replica.fetch.ServingSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What server.properties says, checked. Immutable. Sizes are in bytes, times in milliseconds unless
 * the name says otherwise; ranges and defaults stand in {@link HonouredSettings}.
 */
public final class BrokerSettings implements SettingValues {
  private final Map<String, Object> values;
  private final Map<String, String> texts;
  private final List<String> warnings;
  private final ListenerSettings listeners;

  private BrokerSettings(SettingsParser parsed) {
    this.values = new HashMap<>(parsed.values());
    this.texts = parsed.texts();
    this.warnings = parsed.warnings();
    this.listeners = parsed.listeners();
  }

  /**
   * Checks the keys and values of a server.properties. Throws {@link InvalidSetting} for the first
   * value that cannot be used; what is merely odd is in {@link #warnings()}.
   */
  public static BrokerSettings parse(Map<String, String> properties) {
    return new BrokerSettings(SettingsParser.parse(properties));
  }

  /** One line each: unknown keys with the nearest known one, and keys without effect. */
  public List<String> warnings() {
    return warnings;
  }

  /** The keys as they were set, for DescribeConfigs and for what is derived from them. */
  public Map<String, String> texts() {
    return texts;
  }

  public int nodeId() {
    int brokerId = get(HonouredSettings.BROKER_ID);
    return brokerId >= 0 && !texts.containsKey(HonouredSettings.NODE_ID.name())
        ? brokerId
        : get(HonouredSettings.NODE_ID);
  }

  public Optional<String> rack() {
    return Optional.ofNullable(find(HonouredSettings.BROKER_RACK));
  }

  /** The data folders; the first one also holds the metadata log. */
  public List<String> logDirs() {
    List<String> several = find(HonouredSettings.LOG_DIRS);
    return several == null ? get(HonouredSettings.LOG_DIR) : several;
  }

  /** The listeners for clients and brokers, in their order; controller listeners are left out. */
  public List<ListenerAddress> listeners() {
    return listeners.clients();
  }

  /**
   * What is told to clients of each of {@link #listeners()}, in the same order. An empty host
   * stands for this machine's name, port 0 for the port the listener was bound to.
   */
  public List<ListenerAddress> advertisedListeners() {
    return listeners.advertised();
  }

  /** All of where this node listens. */
  public ListenerSettings allListeners() {
    return listeners;
  }

  /** What concerns the other nodes of the cluster. */
  public ClusterSettings cluster() {
    return new ClusterSettings(this);
  }

  /** Where metrics and health checks are served; empty = nowhere. */
  public Optional<HostPort> httpListener() {
    return Optional.ofNullable(find(HonouredSettings.TIDEMARK_HTTP_LISTENER));
  }

  public int socketRequestMaxBytes() {
    return get(HonouredSettings.SOCKET_REQUEST_MAX_BYTES);
  }

  /** -1 = the system's default. */
  public int socketSendBufferBytes() {
    return get(HonouredSettings.SOCKET_SEND_BUFFER_BYTES);
  }

  /** -1 = the system's default. */
  public int socketReceiveBufferBytes() {
    return get(HonouredSettings.SOCKET_RECEIVE_BUFFER_BYTES);
  }

  public int socketListenBacklogSize() {
    return get(HonouredSettings.SOCKET_LISTEN_BACKLOG_SIZE);
  }

  /** Negative = never. */
  public long connectionsMaxIdleMs() {
    return get(HonouredSettings.CONNECTIONS_MAX_IDLE_MS);
  }

  public int maxConnections() {
    return get(HonouredSettings.MAX_CONNECTIONS);
  }

  public int maxConnectionsPerIp() {
    return get(HonouredSettings.MAX_CONNECTIONS_PER_IP);
  }

  /** Other limits of connections for some addresses or host names. */
  public Map<String, Integer> maxConnectionsPerIpOverrides() {
    Map<String, Integer> limits = new TreeMap<>();
    for (String pair : get(HonouredSettings.MAX_CONNECTIONS_PER_IP_OVERRIDES)) {
      int colon = pair.lastIndexOf(':');
      limits.put(pair.substring(0, colon), Integer.parseInt(pair.substring(colon + 1)));
    }
    return limits;
  }

  /** How many bytes of requests may be in memory before reading pauses; -1 = no bound. */
  public long queuedMaxRequestBytes() {
    return get(HonouredSettings.QUEUED_MAX_REQUEST_BYTES);
  }

  public boolean autoCreateTopicsEnable() {
    return get(HonouredSettings.AUTO_CREATE_TOPICS_ENABLE);
  }

  public boolean deleteTopicEnable() {
    return get(HonouredSettings.DELETE_TOPIC_ENABLE);
  }

  public int numPartitions() {
    return get(HonouredSettings.NUM_PARTITIONS);
  }

  /** Empty = 3, or as many as there are brokers when they are fewer. */
  public OptionalInt defaultReplicationFactor() {
    Integer value = find(HonouredSettings.DEFAULT_REPLICATION_FACTOR);
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }

  public int messageMaxBytes() {
    return get(HonouredSettings.MESSAGE_MAX_BYTES);
  }

  public int maxRequestPartitionSizeLimit() {
    return get(HonouredSettings.MAX_REQUEST_PARTITION_SIZE_LIMIT);
  }

  public int fetchMaxBytes() {
    return get(HonouredSettings.FETCH_MAX_BYTES);
  }

  public int maxIncrementalFetchSessionCacheSlots() {
    return get(HonouredSettings.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS);
  }

  public int producerIdExpirationMs() {
    return get(HonouredSettings.PRODUCER_ID_EXPIRATION_MS);
  }

  /**
   * How this broker replicates.
   *
   * @param listener the name of the listener on which brokers call each other
   */
  public ReplicationSettings replication(String listener) {
    return new ReplicationSettings(
        listener,
        new FetcherSettings(
            get(HonouredSettings.REPLICA_FETCH_WAIT_MAX_MS),
            get(HonouredSettings.REPLICA_FETCH_MIN_BYTES),
            get(HonouredSettings.REPLICA_FETCH_RESPONSE_MAX_BYTES),
            get(HonouredSettings.REPLICA_FETCH_MAX_BYTES),
            get(HonouredSettings.REPLICA_FETCH_BACKOFF_MS),
            get(HonouredSettings.REPLICA_SOCKET_TIMEOUT_MS)),
        new ServingSettings(get(HonouredSettings.TIDEMARK_REPLICA_HW_LINGER_MS), fetchMaxBytes()),
        new QuotaWindow(
            get(HonouredSettings.REPLICATION_QUOTA_WINDOW_NUM),
            get(HonouredSettings.REPLICATION_QUOTA_WINDOW_SIZE_SECONDS) * 1_000L),
        new LagRule(
            get(HonouredSettings.REPLICA_LAG_TIME_MAX_MS),
            get(HonouredSettings.TIDEMARK_REPLICA_LAG_MAX_OFFSETS)),
        get(HonouredSettings.REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS),
        get(HonouredSettings.TIDEMARK_LOST_TAIL_MAX_BYTES));
  }

  /** True when consumers are sent to a replica in their rack (KIP-392). */
  public boolean readsFromNearestReplica() {
    return HonouredSettings.RACK_AWARE_REPLICA_SELECTOR.equals(
        find(HonouredSettings.REPLICA_SELECTOR_CLASS));
  }

  /** When the metadata log is summed up. */
  public SnapshotSettings metadataSnapshots() {
    return new SnapshotSettings(
        get(HonouredSettings.METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS),
        get(HonouredSettings.METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS));
  }

  public long logRetentionCheckIntervalMs() {
    return get(HonouredSettings.LOG_RETENTION_CHECK_INTERVAL_MS);
  }

  @Override
  public <T> T get(Setting<T> setting) {
    return requireNonNull(find(setting), setting.name());
  }

  /** The value of a key, or null if it has neither a value nor a default. */
  @SuppressWarnings("unchecked") // a value is stored under the setting that parsed it
  public <T> @Nullable T find(Setting<T> setting) {
    Object value = values.get(setting.name());
    return value == null ? setting.defaultValue() : (T) value;
  }
}
