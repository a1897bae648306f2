package dev.tidemark.metadata;

import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.server.config.DynamicBrokerConfig;

/**
 * The broker keys that can be changed while it runs: Kafka's, without those that would change its
 * listeners, its security or its plugins. The ones without an effect here are kept and told all the
 * same, as the file's are.
 */
final class DynamicKeys {
  private static final Set<String> FIXED_PREFIXES =
      Set.of("ssl.", "sasl.", "listener", "remote.", "principal.builder", "config.providers");

  private static final Set<String> FIXED = Set.of("metric.reporters", "cordoned.log.dirs");

  private static final Set<String> ALL = dynamic();

  private DynamicKeys() {}

  static boolean contains(String key) {
    return ALL.contains(key);
  }

  /** True for a key that Kafka changes while it runs and this broker does not, by any listener. */
  static boolean isOfListenerOrSecurity(String key) {
    return FIXED.contains(key) || FIXED_PREFIXES.stream().anyMatch(key::startsWith);
  }

  private static Set<String> dynamic() {
    Set<String> keys = new TreeSet<>(DynamicBrokerConfig.ALL_DYNAMIC_CONFIGS);
    keys.removeIf(DynamicKeys::isOfListenerOrSecurity);
    return keys;
  }
}
