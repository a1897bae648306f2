package dev.tidemark.broker.request;

import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.Setting;
import dev.tidemark.metadata.BrokerKeys;
import dev.tidemark.metadata.ConfigRules;
import dev.tidemark.metadata.DynamicOnlyKeys;
import dev.tidemark.metadata.EffectiveConfigs;
import dev.tidemark.metadata.EffectiveConfigs.Level;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.metadata.TopicKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.DynamicBrokerConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.jspecify.annotations.Nullable;

/** What there is to say about the configs of a resource. Throws Kafka's exceptions. */
public final class ConfigDescriptions {
  private final MetadataView view;
  private final EffectiveConfigs effective;
  private final int nodeId;
  private final LoggerConfigs loggers;

  public ConfigDescriptions(BrokerSettings settings, MetadataView view, LoggerConfigs loggers) {
    this.view = view;
    this.loggers = loggers;
    this.nodeId = settings.nodeId();
    this.effective = new EffectiveConfigs(nodeId, withBrokerId(settings));
  }

  /** A node's id as a broker is its id. */
  private static Map<String, String> withBrokerId(BrokerSettings settings) {
    Map<String, String> texts = new TreeMap<>(settings.texts());
    texts.putIfAbsent(HonouredSettings.BROKER_ID.name(), Integer.toString(settings.nodeId()));
    return texts;
  }

  /** How much is told. */
  record Detail(boolean synonyms, boolean documentation) {}

  List<DescribeConfigsResourceResult> describe(ConfigResource resource, Detail detail) {
    return switch (resource.type()) {
      case TOPIC -> topic(resource.name(), detail);
      case BROKER -> broker(resource.name(), detail);
      case GROUP -> group(resource.name(), detail);
      case CLIENT_METRICS -> clientMetrics(resource.name(), detail);
      case BROKER_LOGGER -> loggers.describe(resource.name());
      default -> throw new InvalidRequestException("Unsupported resource type: " + resource.type());
    };
  }

  private List<DescribeConfigsResourceResult> topic(String topic, Detail detail) {
    if (!Topic.isValid(topic)) {
      throw new InvalidTopicException("'" + topic + "' is not a topic name");
    }
    if (view.image().topics().getTopic(topic) == null) {
      throw new UnknownTopicOrPartitionException("There is no topic with the name " + topic);
    }
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    for (ConfigKey key : TopicKeys.keys().values()) {
      List<Level> levels = new ArrayList<>(effective.ofTopic(view.image(), topic, key.name));
      Level byDefault = topicDefault(key);
      if (byDefault != null) {
        levels.add(byDefault);
      }
      String fallback = ConfigDescription.defaultOf(key);
      all.add(new ConfigDescription(key, levels, fallback, false).describe(detail));
    }
    return all;
  }

  /** A topic's default stands under the broker's key that has one, in that key's unit. */
  private static @Nullable Level topicDefault(ConfigKey key) {
    String value = ConfigDescription.defaultOf(key);
    if (value == null) {
      return null;
    }
    List<ConfigSynonym> synonyms =
        ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.getOrDefault(key.name, List.of());
    for (ConfigSynonym synonym : synonyms) {
      ConfigKey broker = BrokerKeys.find(synonym.name());
      String text = broker == null ? null : ConfigDescription.defaultOf(broker);
      if (text != null) {
        return new Level(synonym.name(), value, text, ConfigSource.DEFAULT_CONFIG);
      }
    }
    return null;
  }

  private List<DescribeConfigsResourceResult> broker(String name, Detail detail) {
    checkBroker(name);
    return name.isEmpty() ? clusterDefaults(detail) : ownBroker(detail);
  }

  private void checkBroker(String name) {
    if (!name.isEmpty() && !name.equals(Integer.toString(nodeId))) {
      throw new InvalidRequestException(
          "Unexpected broker id, expected %d or empty string, but received %s"
              .formatted(nodeId, name));
    }
  }

  private List<DescribeConfigsResourceResult> clusterDefaults(Detail detail) {
    Map<String, String> set =
        new TreeMap<>(
            view.image()
                .configs()
                .configMapForResource(new ConfigResource(ConfigResource.Type.BROKER, "")));
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    set.forEach(
        (name, value) -> {
          ConfigKey dynamicOnly = DynamicOnlyKeys.find(name);
          ConfigKey key = dynamicOnly == null ? BrokerKeys.find(name) : dynamicOnly;
          Level level = new Level(name, value, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
          if (key != null) {
            all.add(new ConfigDescription(key, List.of(level), false).describe(detail));
          }
        });
    return all;
  }

  private List<DescribeConfigsResourceResult> ownBroker(Detail detail) {
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    for (ConfigKey key : BrokerKeys.keys().values()) {
      if (key.internalConfig) {
        continue;
      }
      List<Level> levels = brokerLevels(key);
      boolean readOnly = !ConfigRules.isDynamicBrokerKey(key.name);
      all.add(new ConfigDescription(key, levels, readOnly).describe(detail));
    }
    for (ConfigKey key : DynamicOnlyKeys.keys().values()) {
      List<Level> levels = effective.ofBroker(view.image(), key.name);
      if (!levels.isEmpty()) {
        all.add(new ConfigDescription(key, levels, false).describe(detail));
      }
    }
    return all;
  }

  /**
   * Of a key that may also be given in another unit, Kafka tells only what stands below its own
   * name in the order of strength.
   */
  private List<Level> brokerLevels(ConfigKey key) {
    List<String> synonyms = DynamicBrokerConfig.brokerConfigSynonyms(key.name, false);
    List<Level> levels = new ArrayList<>(effective.ofBroker(view.image(), synonyms));
    for (String synonym : synonyms) {
      ConfigKey definition = BrokerKeys.find(synonym);
      String value = definition == null ? null : brokerDefault(definition);
      if (value != null) {
        levels.add(new Level(synonym, value, ConfigSource.DEFAULT_CONFIG));
      }
    }
    while (!levels.isEmpty() && !levels.get(0).name().equals(key.name)) {
      levels.remove(0);
    }
    return levels;
  }

  /** Our default where the key has an effect, Kafka's otherwise. */
  private static @Nullable String brokerDefault(ConfigKey key) {
    Setting<?> setting = HonouredSettings.find(key.name);
    if (setting == null || !key.hasDefault()) {
      return ConfigDescription.defaultOf(key);
    }
    Object value = setting.defaultValue();
    return value instanceof List<?> list
        ? String.join(",", list.stream().map(String::valueOf).toList())
        : value == null ? null : ConfigDef.convertToString(value, key.type);
  }

  private List<DescribeConfigsResourceResult> group(String group, Detail detail) {
    if (group.isEmpty()) {
      throw new InvalidRequestException("Group name must not be empty");
    }
    Map<String, String> own =
        view.image()
            .configs()
            .configMapForResource(new ConfigResource(ConfigResource.Type.GROUP, group));
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    for (ConfigKey key : new TreeMap<>(GroupConfig.CONFIG_DEF.configKeys()).values()) {
      if (GroupConfig.isInternal(key.name)) {
        continue;
      }
      List<Level> levels = new ArrayList<>();
      String value = own.get(key.name);
      if (value != null) {
        levels.add(new Level(key.name, value, ConfigSource.GROUP_CONFIG));
      }
      GroupConfig.brokerSynonym(key.name)
          .ifPresent(synonym -> levels.addAll(effective.ofBroker(view.image(), synonym)));
      String defaultValue = groupDefault(key);
      String synonym = GroupConfig.brokerSynonym(key.name).orElse(key.name);
      if (defaultValue != null) {
        levels.add(new Level(synonym, defaultValue, ConfigSource.DEFAULT_CONFIG));
      }
      all.add(new ConfigDescription(key, levels, defaultValue, false).describe(detail));
    }
    return all;
  }

  private static @Nullable String groupDefault(ConfigKey key) {
    ConfigKey broker = GroupConfig.brokerSynonym(key.name).map(BrokerKeys::find).orElse(null);
    return ConfigDescription.defaultOf(broker == null ? key : broker);
  }

  private List<DescribeConfigsResourceResult> clientMetrics(String name, Detail detail) {
    if (name.isEmpty()) {
      throw new InvalidRequestException("Client metrics subscription name must not be empty");
    }
    Map<String, String> own =
        view.image()
            .configs()
            .configMapForResource(new ConfigResource(ConfigResource.Type.CLIENT_METRICS, name));
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    for (ConfigKey key : new TreeMap<>(ClientMetricsConfigs.configDef().configKeys()).values()) {
      List<Level> levels = new ArrayList<>();
      String value = own.get(key.name);
      if (value != null) {
        levels.add(new Level(key.name, value, ConfigSource.CLIENT_METRICS_CONFIG));
      }
      String defaultValue = ConfigDescription.defaultOf(key);
      all.add(new ConfigDescription(key, levels, defaultValue, false).describe(detail));
    }
    return all;
  }
}
