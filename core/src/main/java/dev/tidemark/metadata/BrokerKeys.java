package dev.tidemark.metadata;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.internals.BrokerSecurityConfigs;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.coordinator.share.ShareCoordinatorConfig;
import org.apache.kafka.coordinator.transaction.AddPartitionsToTxnConfig;
import org.apache.kafka.coordinator.transaction.TransactionLogConfig;
import org.apache.kafka.coordinator.transaction.TransactionStateManagerConfig;
import org.apache.kafka.network.SocketServerConfigs;
import org.apache.kafka.raft.KRaftConfigs;
import org.apache.kafka.raft.MetadataLogConfig;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.config.DelegationTokenManagerConfigs;
import org.apache.kafka.server.config.QuotaConfig;
import org.apache.kafka.server.config.ReplicationConfigs;
import org.apache.kafka.server.config.ServerConfigs;
import org.apache.kafka.server.log.remote.storage.RemoteLogManagerConfig;
import org.apache.kafka.server.metrics.MetricConfigs;
import org.apache.kafka.storage.internals.log.CleanerConfig;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.jspecify.annotations.Nullable;

/**
 * Every broker key Kafka 4.4 knows, with its type, range, default and documentation. Loaded only
 * when a file has a key that is not honoured, or when configs are described or altered. The parts
 * are Kafka's own; its ready-made sum is not used because its class also wants a library that
 * validates internet addresses.
 */
public final class BrokerKeys {
  private static final Map<String, ConfigKey> KEYS = merge();

  private BrokerKeys() {}

  /** All keys by name, sorted. */
  public static Map<String, ConfigKey> keys() {
    return KEYS;
  }

  /** Kafka's definition of {@code name}, or null. */
  public static @Nullable ConfigKey find(String name) {
    return KEYS.get(name);
  }

  /** True for the keys that the group coordinator reads. */
  public static boolean isForGroups(String name) {
    return name.startsWith("group.") || name.startsWith("offset");
  }

  /**
   * Parses a value as Kafka does; throws {@link IllegalArgumentException} with one line that names
   * key, value and range.
   */
  public static @Nullable Object parse(ConfigKey key, String text) {
    try {
      Object value = ConfigDef.parseType(key.name, text, key.type);
      if (key.validator != null) {
        key.validator.ensureValid(key.name, value);
      }
      return value;
    } catch (ConfigException e) {
      throw new IllegalArgumentException(oneLine(e), e);
    }
  }

  private static String oneLine(ConfigException e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return message.replaceAll("\\s*\\R\\s*", " ");
  }

  private static Map<String, ConfigKey> merge() {
    List<ConfigDef> parts =
        List.of(
            RemoteLogManagerConfig.configDef(),
            ServerConfigs.CONFIG_DEF,
            KRaftConfigs.CONFIG_DEF,
            MetadataLogConfig.CONFIG_DEF,
            SocketServerConfigs.CONFIG_DEF,
            ReplicationConfigs.CONFIG_DEF,
            GroupCoordinatorConfig.CONFIG_DEF,
            CleanerConfig.CONFIG_DEF,
            LogConfig.SERVER_CONFIG_DEF,
            ShareGroupConfig.CONFIG_DEF,
            ShareCoordinatorConfig.CONFIG_DEF,
            TransactionLogConfig.CONFIG_DEF,
            TransactionStateManagerConfig.CONFIG_DEF,
            QuorumConfig.CONFIG_DEF,
            MetricConfigs.CONFIG_DEF,
            QuotaConfig.CONFIG_DEF,
            BrokerSecurityConfigs.CONFIG_DEF,
            DelegationTokenManagerConfigs.CONFIG_DEF,
            AddPartitionsToTxnConfig.CONFIG_DEF);
    Map<String, ConfigKey> merged = new TreeMap<>();
    for (ConfigDef part : parts) {
      merged.putAll(part.configKeys());
    }
    return merged;
  }
}
