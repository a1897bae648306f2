package dev.tidemark.metadata;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.storage.internals.log.LogConfig;

/** Every topic key Kafka 4.4 knows, with its type, range, default and documentation. */
public final class TopicKeys {
  private static final Map<String, ConfigKey> KEYS = publicKeys();

  private TopicKeys() {}

  /** All keys but Kafka's internal ones, by name, sorted. */
  public static Map<String, ConfigKey> keys() {
    return KEYS;
  }

  private static Map<String, ConfigKey> publicKeys() {
    Map<String, ConfigKey> keys = new TreeMap<>(LogConfig.configKeys());
    keys.keySet().retainAll(LogConfig.nonInternalConfigNames());
    return keys;
  }
}
