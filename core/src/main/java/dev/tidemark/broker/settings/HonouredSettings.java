package dev.tidemark.broker.settings;

import dev.tidemark.metadata.BrokerKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that have an effect in this broker, apart from the group coordinator's, which go to it
 * as they are ({@link BrokerKeys#isForGroups}). docs/configuration.md lists the same keys; a test
 * compares both, and each with Kafka's definition.
 */
public final class HonouredSettings {
  private static final Map<String, Setting<?>> ALL = new LinkedHashMap<>();

  private static final int ANY = Integer.MIN_VALUE;

  /** Kafka's class for consumers that read from the leader only, as without any. */
  public static final String LEADER_SELECTOR = "org.apache.kafka.common.replica.LeaderSelector";

  /** Kafka's class for consumers that read from a replica in their rack (KIP-392). */
  public static final String RACK_AWARE_REPLICA_SELECTOR =
      "org.apache.kafka.common.replica.RackAwareReplicaSelector";

  // Identity and folders
  public static final Setting<List<String>> PROCESS_ROLES =
      add(Setting.ofList("process.roles", List.of("broker", "controller"), "broker", "controller"));
  public static final Setting<Integer> NODE_ID = add(Setting.ofInt("node.id", 1, 0));
  public static final Setting<Integer> BROKER_ID =
      add(Setting.ofInt("broker.id", -1, ANY, Integer.MAX_VALUE));
  public static final Setting<String> BROKER_RACK = text("broker.rack");
  public static final Setting<List<String>> LOG_DIR =
      add(Setting.ofList("log.dir", List.of("/tmp/tidemark-logs")));
  public static final Setting<List<String>> LOG_DIRS = add(Setting.ofList("log.dirs", null));

  // Network
  public static final Setting<List<String>> LISTENERS =
      add(Setting.ofList("listeners", List.of("PLAINTEXT://:9092")));
  public static final Setting<List<String>> ADVERTISED_LISTENERS =
      add(Setting.ofList("advertised.listeners", null));
  public static final Setting<List<String>> LISTENER_SECURITY_PROTOCOL_MAP =
      add(
          Setting.ofList(
              "listener.security.protocol.map",
              List.of(
                  "SASL_SSL:SASL_SSL",
                  "PLAINTEXT:PLAINTEXT",
                  "SSL:SSL",
                  "SASL_PLAINTEXT:SASL_PLAINTEXT")));
  public static final Setting<List<String>> CONTROLLER_LISTENER_NAMES =
      add(Setting.ofList("controller.listener.names", List.of()));
  public static final Setting<String> INTER_BROKER_LISTENER_NAME =
      text("inter.broker.listener.name");
  public static final Setting<Integer> SOCKET_REQUEST_MAX_BYTES =
      add(Setting.ofInt("socket.request.max.bytes", 104_857_600, 1));
  public static final Setting<Integer> SOCKET_SEND_BUFFER_BYTES =
      add(Setting.ofInt("socket.send.buffer.bytes", 102_400, ANY));
  public static final Setting<Integer> SOCKET_RECEIVE_BUFFER_BYTES =
      add(Setting.ofInt("socket.receive.buffer.bytes", 102_400, ANY));
  public static final Setting<Integer> SOCKET_LISTEN_BACKLOG_SIZE =
      add(Setting.ofInt("socket.listen.backlog.size", 50, 1));
  public static final Setting<Long> CONNECTIONS_MAX_IDLE_MS =
      add(Setting.ofLong("connections.max.idle.ms", 600_000L, Long.MIN_VALUE));
  public static final Setting<Integer> MAX_CONNECTIONS =
      add(Setting.ofInt("max.connections", Integer.MAX_VALUE, 0));
  public static final Setting<Integer> MAX_CONNECTIONS_PER_IP =
      add(Setting.ofInt("max.connections.per.ip", Integer.MAX_VALUE, 0));
  public static final Setting<List<String>> MAX_CONNECTIONS_PER_IP_OVERRIDES =
      add(Setting.ofAddressCounts("max.connections.per.ip.overrides"));
  public static final Setting<Long> QUEUED_MAX_REQUEST_BYTES =
      add(Setting.ofLong("queued.max.request.bytes", 134_217_728L, Long.MIN_VALUE));

  public static final Setting<HostPort> TIDEMARK_HTTP_LISTENER =
      add(Setting.ofHostPort("tidemark.http.listener"));

  // The quorum of controllers
  public static final Setting<List<String>> CONTROLLER_QUORUM_BOOTSTRAP_SERVERS =
      add(Setting.ofAddresses("controller.quorum.bootstrap.servers"));
  public static final Setting<List<String>> CONTROLLER_QUORUM_VOTERS =
      add(Setting.ofList("controller.quorum.voters", List.of()));
  public static final Setting<Integer> CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS =
      add(Setting.ofInt("controller.quorum.election.timeout.ms", 300, 1));
  public static final Setting<Integer> CONTROLLER_QUORUM_ELECTION_BACKOFF_MAX_MS =
      add(Setting.ofInt("controller.quorum.election.backoff.max.ms", 1000, 1));
  public static final Setting<Integer> CONTROLLER_QUORUM_FETCH_TIMEOUT_MS =
      add(Setting.ofInt("controller.quorum.fetch.timeout.ms", 1000, 1));
  public static final Setting<Integer> CONTROLLER_QUORUM_REQUEST_TIMEOUT_MS =
      add(Setting.ofInt("controller.quorum.request.timeout.ms", 2000, 1));
  public static final Setting<Integer> CONTROLLER_QUORUM_RETRY_BACKOFF_MS =
      add(Setting.ofInt("controller.quorum.retry.backoff.ms", 20, 1));

  // Brokers and their controller
  public static final Setting<Integer> BROKER_SESSION_TIMEOUT_MS =
      add(Setting.ofInt("broker.session.timeout.ms", 9000, 1));
  public static final Setting<Integer> BROKER_HEARTBEAT_INTERVAL_MS =
      add(Setting.ofInt("broker.heartbeat.interval.ms", 2000, 1));
  public static final Setting<Integer> INITIAL_BROKER_REGISTRATION_TIMEOUT_MS =
      add(Setting.ofInt("initial.broker.registration.timeout.ms", 60_000, 1));
  public static final Setting<Boolean> AUTO_LEADER_REBALANCE_ENABLE =
      add(Setting.ofBoolean("auto.leader.rebalance.enable", true));
  public static final Setting<Long> LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS =
      add(Setting.ofLong("leader.imbalance.check.interval.seconds", 300L, 1));
  public static final Setting<String> TIDEMARK_LEADER_LEASE =
      add(Setting.ofChoice("tidemark.leader.lease", "on", "on", "off"));
  public static final Setting<String> TIDEMARK_FENCING_FAST =
      add(Setting.ofChoice("tidemark.fencing.fast", "on", "on", "off"));

  // Topics
  public static final Setting<Boolean> AUTO_CREATE_TOPICS_ENABLE =
      add(Setting.ofBoolean("auto.create.topics.enable", true));
  public static final Setting<Boolean> DELETE_TOPIC_ENABLE =
      add(Setting.ofBoolean("delete.topic.enable", true));
  public static final Setting<Integer> NUM_PARTITIONS = add(Setting.ofInt("num.partitions", 1, 1));
  public static final Setting<Integer> DEFAULT_REPLICATION_FACTOR =
      integer("default.replication.factor");
  public static final Setting<Integer> MIN_INSYNC_REPLICAS =
      add(Setting.ofInt("min.insync.replicas", 1, 1));
  public static final Setting<Boolean> UNCLEAN_LEADER_ELECTION_ENABLE =
      add(Setting.ofBoolean("unclean.leader.election.enable", false));
  public static final Setting<Integer> MESSAGE_MAX_BYTES =
      add(Setting.ofInt("message.max.bytes", 1_048_588, 0));
  public static final Setting<Integer> MAX_REQUEST_PARTITION_SIZE_LIMIT =
      add(Setting.ofInt("max.request.partition.size.limit", 2000, 1));

  // Metadata
  public static final Setting<Long> METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS =
      add(Setting.ofLong("metadata.log.max.record.bytes.between.snapshots", 20_971_520L, 1));
  public static final Setting<Long> METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS =
      add(Setting.ofLong("metadata.log.max.snapshot.interval.ms", 3_600_000L, 0));

  // Fetches and producers
  public static final Setting<Integer> FETCH_MAX_BYTES =
      add(Setting.ofInt("fetch.max.bytes", 57_671_680, 1024));
  public static final Setting<Integer> MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS =
      add(Setting.ofInt("max.incremental.fetch.session.cache.slots", 1000, 0));
  public static final Setting<Integer> PRODUCER_ID_EXPIRATION_MS =
      add(Setting.ofInt("producer.id.expiration.ms", 86_400_000, 1));

  // Replication
  public static final Setting<Long> REPLICA_LAG_TIME_MAX_MS =
      add(Setting.ofLong("replica.lag.time.max.ms", 30_000L, 1));
  public static final Setting<Integer> REPLICA_FETCH_WAIT_MAX_MS =
      add(Setting.ofInt("replica.fetch.wait.max.ms", 500, 0));
  public static final Setting<Integer> REPLICA_FETCH_MIN_BYTES =
      add(Setting.ofInt("replica.fetch.min.bytes", 1, 0));
  public static final Setting<Integer> REPLICA_FETCH_MAX_BYTES =
      add(Setting.ofInt("replica.fetch.max.bytes", 1_048_576, 0));
  public static final Setting<Integer> REPLICA_FETCH_RESPONSE_MAX_BYTES =
      add(Setting.ofInt("replica.fetch.response.max.bytes", 10_485_760, 0));
  public static final Setting<Integer> REPLICA_FETCH_BACKOFF_MS =
      add(Setting.ofInt("replica.fetch.backoff.ms", 1000, 0));
  public static final Setting<Integer> REPLICA_SOCKET_TIMEOUT_MS =
      add(Setting.ofInt("replica.socket.timeout.ms", 30_000, 1));
  public static final Setting<Long> REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS =
      add(Setting.ofLong("replica.high.watermark.checkpoint.interval.ms", 5_000L, 1));
  public static final Setting<String> REPLICA_SELECTOR_CLASS =
      add(
          Setting.ofChoice(
              "replica.selector.class", null, LEADER_SELECTOR, RACK_AWARE_REPLICA_SELECTOR));
  public static final Setting<Integer> REPLICATION_QUOTA_WINDOW_NUM =
      add(Setting.ofInt("replication.quota.window.num", 11, 1));
  public static final Setting<Integer> REPLICATION_QUOTA_WINDOW_SIZE_SECONDS =
      add(Setting.ofInt("replication.quota.window.size.seconds", 1, 1));
  public static final Setting<Long> TIDEMARK_REPLICA_LAG_MAX_OFFSETS =
      add(Setting.ofLong("tidemark.replica.lag.max.offsets", Long.MAX_VALUE, 0));
  public static final Setting<Long> TIDEMARK_REPLICA_HW_LINGER_MS =
      add(Setting.ofLong("tidemark.replica.hw.linger.ms", 20L, 0));
  public static final Setting<Long> TIDEMARK_LOST_TAIL_MAX_BYTES =
      add(Setting.ofLong("tidemark.lost.tail.max.bytes", 10_485_760L, 0));

  // Log defaults
  public static final Setting<Integer> LOG_SEGMENT_BYTES =
      add(Setting.ofInt("log.segment.bytes", 1_073_741_824, 1_048_576));
  public static final Setting<Long> LOG_ROLL_MS = whole("log.roll.ms");
  public static final Setting<Integer> LOG_ROLL_HOURS =
      add(Setting.ofInt("log.roll.hours", 168, 1));
  public static final Setting<Long> LOG_ROLL_JITTER_MS = whole("log.roll.jitter.ms");
  public static final Setting<Integer> LOG_ROLL_JITTER_HOURS =
      add(Setting.ofInt("log.roll.jitter.hours", 0, 0));
  public static final Setting<Long> LOG_RETENTION_MS = whole("log.retention.ms");
  public static final Setting<Integer> LOG_RETENTION_MINUTES = integer("log.retention.minutes");
  public static final Setting<Integer> LOG_RETENTION_HOURS =
      add(Setting.ofInt("log.retention.hours", 168, ANY));
  public static final Setting<Long> LOG_RETENTION_BYTES =
      add(Setting.ofLong("log.retention.bytes", -1L, Long.MIN_VALUE));
  public static final Setting<Long> LOG_RETENTION_CHECK_INTERVAL_MS =
      add(Setting.ofLong("log.retention.check.interval.ms", 300_000L, 1));
  public static final Setting<List<String>> LOG_CLEANUP_POLICY =
      add(Setting.ofList("log.cleanup.policy", List.of("delete"), "compact", "delete"));
  public static final Setting<Boolean> LOG_CLEANER_ENABLE =
      add(Setting.ofBoolean("log.cleaner.enable", true));
  public static final Setting<Long> LOG_CLEANER_DEDUPE_BUFFER_SIZE =
      add(Setting.ofLong("log.cleaner.dedupe.buffer.size", 134_217_728L, Long.MIN_VALUE));
  public static final Setting<Double> LOG_CLEANER_IO_BUFFER_LOAD_FACTOR =
      add(Setting.ofDouble("log.cleaner.io.buffer.load.factor", 0.9, 0.01, 1));
  public static final Setting<Integer> LOG_CLEANER_IO_BUFFER_SIZE =
      add(Setting.ofInt("log.cleaner.io.buffer.size", 524_288, 0));
  public static final Setting<Double> LOG_CLEANER_IO_MAX_BYTES_PER_SECOND =
      add(
          Setting.ofDouble(
              "log.cleaner.io.max.bytes.per.second", Double.MAX_VALUE, 1, Double.MAX_VALUE));
  public static final Setting<Long> LOG_CLEANER_BACKOFF_MS =
      add(Setting.ofLong("log.cleaner.backoff.ms", 15_000L, 0));
  public static final Setting<Double> LOG_CLEANER_MIN_CLEANABLE_RATIO =
      add(Setting.ofDouble("log.cleaner.min.cleanable.ratio", 0.5, 0, 1));
  public static final Setting<Long> LOG_CLEANER_MIN_COMPACTION_LAG_MS =
      add(Setting.ofLong("log.cleaner.min.compaction.lag.ms", 0L, 0));
  public static final Setting<Long> LOG_CLEANER_MAX_COMPACTION_LAG_MS =
      add(Setting.ofLong("log.cleaner.max.compaction.lag.ms", Long.MAX_VALUE, 1));
  public static final Setting<Long> LOG_CLEANER_DELETE_RETENTION_MS =
      add(Setting.ofLong("log.cleaner.delete.retention.ms", 86_400_000L, 0));
  public static final Setting<Integer> LOG_INDEX_SIZE_MAX_BYTES =
      add(Setting.ofInt("log.index.size.max.bytes", 10_485_760, 4));
  public static final Setting<Integer> LOG_INDEX_INTERVAL_BYTES =
      add(Setting.ofInt("log.index.interval.bytes", 4096, 0));
  public static final Setting<Long> LOG_FLUSH_INTERVAL_MESSAGES =
      add(Setting.ofLong("log.flush.interval.messages", Long.MAX_VALUE, 1));
  public static final Setting<Long> LOG_FLUSH_INTERVAL_MS = whole("log.flush.interval.ms");
  public static final Setting<Long> LOG_FLUSH_SCHEDULER_INTERVAL_MS =
      add(Setting.ofLong("log.flush.scheduler.interval.ms", Long.MAX_VALUE, Long.MIN_VALUE));
  public static final Setting<Long> LOG_SEGMENT_DELETE_DELAY_MS =
      add(Setting.ofLong("log.segment.delete.delay.ms", 60_000L, 0));
  public static final Setting<String> LOG_MESSAGE_TIMESTAMP_TYPE =
      add(
          Setting.ofChoice(
              "log.message.timestamp.type", "CreateTime", "CreateTime", "LogAppendTime"));
  public static final Setting<Long> LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS =
      add(Setting.ofLong("log.message.timestamp.before.max.ms", Long.MAX_VALUE, 0));
  public static final Setting<Long> LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS =
      add(Setting.ofLong("log.message.timestamp.after.max.ms", 3_600_000L, 0));
  public static final Setting<String> COMPRESSION_TYPE =
      add(
          Setting.ofChoice(
              "compression.type",
              "producer",
              "uncompressed",
              "zstd",
              "lz4",
              "snappy",
              "gzip",
              "producer"));
  public static final Setting<Integer> COMPRESSION_GZIP_LEVEL =
      add(Setting.ofInt("compression.gzip.level", -1, -1, 9));
  public static final Setting<Integer> COMPRESSION_LZ4_LEVEL =
      add(Setting.ofInt("compression.lz4.level", 9, 1, 17));
  public static final Setting<Integer> COMPRESSION_ZSTD_LEVEL =
      add(Setting.ofInt("compression.zstd.level", 3, -131_072, 22));

  private HonouredSettings() {}

  /** Every key, in the order of this page. */
  public static List<Setting<?>> all() {
    return new ArrayList<>(ALL.values());
  }

  /** The setting of that name, or null. */
  public static @Nullable Setting<?> find(String name) {
    return ALL.get(name);
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.put(setting.name(), setting);
    return setting;
  }

  private static Setting<Long> whole(String name) {
    return add(Setting.ofLong(name, null, Long.MIN_VALUE));
  }

  private static Setting<Integer> integer(String name) {
    return add(Setting.ofInt(name, null, ANY, Integer.MAX_VALUE));
  }

  private static Setting<String> text(String name) {
    return add(Setting.ofText(name, null));
  }
}
