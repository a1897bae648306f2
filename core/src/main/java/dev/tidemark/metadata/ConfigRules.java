package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.CleanerConfig;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.jspecify.annotations.Nullable;

/** Which configs may be set on what, and to what. Throws {@link Refusal}. */
public final class ConfigRules {
  private final Map<String, String> properties;

  /** {@code properties} is what server.properties sets. */
  ConfigRules(Map<String, String> properties) {
    this.properties = new TreeMap<>(properties);
  }

  /** True for the keys of a broker that can be changed while it runs. */
  public static boolean isDynamicBrokerKey(String key) {
    return DynamicKeys.contains(key);
  }

  /** Checks what {@code resource} would have; {@code current} is what it has. */
  void check(
      MetadataImage image,
      ConfigResource resource,
      Map<String, String> current,
      Map<String, @Nullable String> proposed) {
    switch (resource.type()) {
      case TOPIC -> checkTopic(image, resource.name(), plain(proposed));
      case BROKER -> checkBroker(image, resource.name(), current, plain(proposed));
      case GROUP -> checkGroup(resource.name(), plain(proposed));
      case CLIENT_METRICS -> checkClientMetrics(resource.name(), plain(proposed));
      default ->
          throw new Refusal(
              Errors.INVALID_REQUEST,
              "Configs of %s cannot be altered here: only those of topics, brokers and groups."
                  .formatted(resource.type()));
    }
  }

  private static Map<String, String> plain(Map<String, @Nullable String> proposed) {
    Map<String, String> values = new TreeMap<>();
    proposed.forEach(
        (key, value) -> {
          if (value != null) {
            values.put(key, value);
          }
        });
    return values;
  }

  private static void checkTopic(MetadataImage image, String topic, Map<String, String> proposed) {
    if (topic.isEmpty()) {
      throw new Refusal(Errors.INVALID_REQUEST, "Default topic resources are not allowed.");
    }
    if (!Topic.isValid(topic)) {
      throw new Refusal(
          Errors.INVALID_TOPIC_EXCEPTION, "'" + topic + "' is not the name of a topic.");
    }
    if (image.topics().getTopic(topic) == null) {
      throw new Refusal(
          Errors.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic with the name '" + topic + "'.");
    }
    checkTopicValues(proposed);
  }

  /** Checks the values of a topic's own configs. */
  static void checkTopicValues(Map<String, String> proposed) {
    try {
      LogConfig.validate(proposed);
    } catch (ConfigException | InvalidConfigurationException e) {
      throw new Refusal(Errors.INVALID_CONFIG, String.valueOf(e.getMessage()));
    }
    if (Boolean.parseBoolean(proposed.get(TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG))) {
      throw new Refusal(
          Errors.INVALID_CONFIG,
          TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG
              + " cannot be turned on: this broker keeps no records elsewhere.");
    }
  }

  private static void checkBroker(
      MetadataImage image, String name, Map<String, String> current, Map<String, String> proposed) {
    if (!name.isEmpty() && !isRegistered(image, name)) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "There is no broker " + name + "; brokers are named by their id.");
    }
    String minIsr = TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG;
    if (!name.isEmpty() && proposed.containsKey(minIsr)) {
      throw new Refusal(
          Errors.INVALID_CONFIG,
          minIsr
              + " cannot be set on one broker: set it on the cluster (entity-default) or a topic.");
    }
    if (name.isEmpty() && current.containsKey(minIsr) && !proposed.containsKey(minIsr)) {
      throw new Refusal(
          Errors.INVALID_CONFIG,
          minIsr + " cannot be removed from the cluster: set another value instead.");
    }
    for (Map.Entry<String, String> config : proposed.entrySet()) {
      if (!config.getValue().equals(current.get(config.getKey()))) {
        checkBrokerKey(config.getKey(), config.getValue());
      }
    }
  }

  /** Keys that Kafka does not know are taken, for plugins may know them; they have no effect. */
  private static void checkBrokerKey(String key, String value) {
    ConfigKey dynamicOnly = DynamicOnlyKeys.find(key);
    ConfigKey definition = dynamicOnly == null ? BrokerKeys.find(key) : dynamicOnly;
    boolean fixed =
        definition == null
            ? DynamicKeys.isOfListenerOrSecurity(key)
            : dynamicOnly == null && !DynamicKeys.contains(key);
    if (fixed) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "%s cannot be changed while the broker runs: set it in server.properties and restart."
              .formatted(key));
    }
    if (definition == null) {
      return;
    }
    try {
      Object parsed = BrokerKeys.parse(definition, value);
      if (key.equals(CleanerConfig.LOG_CLEANER_THREADS_PROP) && Integer.valueOf(0).equals(parsed)) {
        throw new Refusal(
            Errors.INVALID_REQUEST, key + " must be at least 1 while the broker runs.");
      }
    } catch (IllegalArgumentException e) {
      throw new Refusal(Errors.INVALID_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  private static boolean isRegistered(MetadataImage image, String name) {
    try {
      return image.cluster().broker(Integer.parseInt(name)) != null;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private void checkGroup(String group, Map<String, String> proposed) {
    if (group.isEmpty()) {
      throw new Refusal(Errors.INVALID_REQUEST, "Default group resources are not allowed.");
    }
    try {
      GroupConfig.validate(
          proposed,
          GroupCoordinatorConfig.fromProps(only(GroupCoordinatorConfig.CONFIG_DEF)),
          ShareGroupConfig.fromProps(only(ShareGroupConfig.CONFIG_DEF)));
    } catch (ConfigException | ApiException e) {
      throw new Refusal(Errors.INVALID_CONFIG, String.valueOf(e.getMessage()));
    }
  }

  private Map<String, String> only(ConfigDef definition) {
    Map<String, String> some = new TreeMap<>(properties);
    some.keySet().retainAll(definition.names());
    return some;
  }

  /** They are kept for clients' sake; nobody collects the metrics yet. */
  private static void checkClientMetrics(String name, Map<String, String> proposed) {
    Properties properties = new Properties();
    properties.putAll(proposed);
    try {
      ClientMetricsConfigs.validate(name, properties);
    } catch (ConfigException | InvalidConfigurationException e) {
      throw new Refusal(Errors.INVALID_CONFIG, String.valueOf(e.getMessage()));
    } catch (InvalidRequestException e) {
      throw new Refusal(Errors.INVALID_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  /** True when values of the key are lists, to which one can append. */
  boolean isList(ConfigResource.Type type, String key) {
    ConfigKey definition = find(type, key);
    return definition != null && definition.type == ConfigDef.Type.LIST;
  }

  /** Kafka's default of the key, as text; empty if it has none. */
  String defaultOf(ConfigResource.Type type, String key) {
    ConfigKey definition = find(type, key);
    if (definition == null || !definition.hasDefault()) {
      return "";
    }
    String text = ConfigDef.convertToString(definition.defaultValue, definition.type);
    return text == null ? "" : text;
  }

  private static @Nullable ConfigKey find(ConfigResource.Type type, String key) {
    return switch (type) {
      case TOPIC -> LogConfig.configKeys().get(key);
      case GROUP -> GroupConfig.CONFIG_DEF.configKeys().get(key);
      case CLIENT_METRICS -> ClientMetricsConfigs.configDef().configKeys().get(key);
      default -> BrokerKeys.find(key);
    };
  }

  /** The elements of a list value. */
  static List<String> split(String value) {
    List<String> parts = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      if (!part.isBlank()) {
        parts.add(part.trim());
      }
    }
    return parts;
  }
}
