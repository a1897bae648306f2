package dev.tidemark.metadata;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.server.config.QuotaConfig;
import org.jspecify.annotations.Nullable;

/**
 * The broker keys that exist as dynamic configs only: in a server.properties they mean nothing, and
 * a broker that has none of them does not list them.
 */
public final class DynamicOnlyKeys {
  private static final Map<String, ConfigKey> KEYS =
      new TreeMap<>(QuotaConfig.brokerQuotaConfigs().configKeys());

  private DynamicOnlyKeys() {}

  /** All keys by name, sorted. */
  public static Map<String, ConfigKey> keys() {
    return KEYS;
  }

  /** Kafka's definition of {@code name}, or null. */
  public static @Nullable ConfigKey find(String name) {
    return KEYS.get(name);
  }

  /**
   * Parses the value of one that is a number; throws {@link IllegalArgumentException} with one line
   * that names key, value and range.
   */
  public static long parseLong(String name, String text) {
    ConfigKey key = KEYS.get(name);
    if (key != null && BrokerKeys.parse(key, text) instanceof Long value) {
      return value;
    }
    throw new IllegalArgumentException(name + " is no number that is set while a broker runs");
  }
}
