package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.jspecify.annotations.Nullable;

/** Which configs may be set on what, and to what. Throws {@link Refusal}. */
public final class ConfigRules {
  /** A broker's keys that can be changed while it runs: the defaults of its topics. */
  private static final Set<String> DYNAMIC_BROKER_KEYS = topicSynonyms();

  ConfigRules() {}

  /** True for the keys of a broker that can be changed while it runs. */
  public static boolean isDynamicBrokerKey(String key) {
    return DYNAMIC_BROKER_KEYS.contains(key);
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
    if (topic.equals(Topic.CLUSTER_METADATA_TOPIC_NAME)) {
      throw new Refusal(Errors.INVALID_REQUEST, "The metadata topic has no configs to alter.");
    }
    if (image.topics().getTopic(topic) == null) {
      throw new Refusal(
          Errors.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic with the name '" + topic + "'.");
    }
    try {
      LogConfig.validate(proposed);
    } catch (ConfigException | InvalidConfigurationException e) {
      throw new Refusal(Errors.INVALID_CONFIG, String.valueOf(e.getMessage()));
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
      checkBrokerKey(config.getKey(), config.getValue());
    }
  }

  private static void checkBrokerKey(String key, String value) {
    ConfigKey definition = BrokerKeys.find(key);
    if (definition == null) {
      throw new Refusal(Errors.INVALID_CONFIG, "Unknown broker config name: " + key);
    }
    if (!DYNAMIC_BROKER_KEYS.contains(key)) {
      throw new Refusal(
          Errors.INVALID_REQUEST,
          "%s cannot be changed while the broker runs: set it in server.properties and restart."
              .formatted(key));
    }
    try {
      BrokerKeys.parse(definition, value);
    } catch (IllegalArgumentException e) {
      throw new Refusal(Errors.INVALID_CONFIG, String.valueOf(e.getMessage()));
    }
  }

  private static boolean isRegistered(MetadataImage image, String name) {
    try {
      return image.cluster().broker(Integer.parseInt(name)) != null;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static void checkGroup(String group, Map<String, String> proposed) {
    if (group.isEmpty()) {
      throw new Refusal(Errors.INVALID_REQUEST, "Default group resources are not allowed.");
    }
    try {
      GroupConfig.validateNames(proposed);
      GroupConfig.CONFIG_DEF.parse(proposed);
    } catch (ConfigException | ApiException e) {
      throw new Refusal(Errors.INVALID_CONFIG, String.valueOf(e.getMessage()));
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

  private static Set<String> topicSynonyms() {
    Set<String> names = new TreeSet<>();
    for (String key : TopicSettings.keys()) {
      for (ConfigSynonym synonym :
          ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.getOrDefault(key, List.of())) {
        names.add(synonym.name());
      }
    }
    return names;
  }
}
