package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.image.ConfigurationImage;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.jspecify.annotations.Nullable;

/**
 * Which value of a key holds: a topic's own one, else the broker's dynamic one, else the cluster's
 * dynamic default, else server.properties, else Kafka's default (which is not looked up here).
 */
public final class EffectiveConfigs {
  private final String brokerName;
  private final Map<String, String> properties;

  /** {@code properties} is what server.properties sets. */
  public EffectiveConfigs(int nodeId, Map<String, String> properties) {
    this.brokerName = Integer.toString(nodeId);
    this.properties = new TreeMap<>(properties);
  }

  /**
   * A value that stands somewhere.
   *
   * @param name the key it stands under, which may be a synonym
   * @param value in the unit of the key that was asked for, without blanks around it
   * @param text as it stands, in the unit of {@code name}
   */
  public record Level(String name, String value, String text, ConfigSource source) {
    public Level(String name, String value, ConfigSource source) {
      this(name, value.trim(), value, source);
    }
  }

  /** All values of a topic's key, the one that holds first; {@code topic} null = no topic. */
  public List<Level> ofTopic(MetadataImage image, @Nullable String topic, String key) {
    List<Level> levels = new ArrayList<>();
    if (topic != null) {
      String own = find(image, ConfigResource.Type.TOPIC, topic, key);
      if (own != null) {
        levels.add(new Level(key, own, ConfigSource.TOPIC_CONFIG));
      }
    }
    List<ConfigSynonym> synonyms = ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.get(key);
    if (synonyms == null) {
      return levels;
    }
    for (ConfigSource source : SOURCES) {
      for (ConfigSynonym synonym : synonyms) {
        String value = brokerValue(image, source, synonym.name());
        if (value != null) {
          levels.add(
              new Level(synonym.name(), synonym.converter().apply(value.trim()), value, source));
        }
      }
    }
    return levels;
  }

  /** All values of a broker's key, the one that holds first. */
  public List<Level> ofBroker(MetadataImage image, String key) {
    return ofBroker(image, List.of(key));
  }

  /** All values under any of some keys, the strongest source first, then in their order. */
  public List<Level> ofBroker(MetadataImage image, List<String> keys) {
    List<Level> levels = new ArrayList<>();
    for (ConfigSource source : SOURCES) {
      for (String key : keys) {
        String value = brokerValue(image, source, key);
        if (value != null) {
          levels.add(new Level(key, value, source));
        }
      }
    }
    return levels;
  }

  /** The levels of a broker, the strongest first. */
  private static final List<ConfigSource> SOURCES =
      List.of(
          ConfigSource.DYNAMIC_BROKER_CONFIG,
          ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
          ConfigSource.STATIC_BROKER_CONFIG);

  private @Nullable String brokerValue(MetadataImage image, ConfigSource source, String key) {
    return switch (source) {
      case DYNAMIC_BROKER_CONFIG -> find(image, ConfigResource.Type.BROKER, brokerName, key);
      case DYNAMIC_DEFAULT_BROKER_CONFIG -> find(image, ConfigResource.Type.BROKER, "", key);
      default -> properties.get(key);
    };
  }

  private static @Nullable String find(
      MetadataImage image, ConfigResource.Type type, String name, String key) {
    ConfigurationImage configs = image.configs().resourceData().get(new ConfigResource(type, name));
    return configs == null ? null : configs.data().get(key);
  }
}
