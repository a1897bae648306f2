package dev.tidemark.metadata;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.image.ConfigurationImage;
import org.apache.kafka.image.ConfigurationsDelta;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.jspecify.annotations.Nullable;

/**
 * The settings of each topic, derived from cluster metadata and server.properties. Owned by the
 * data shard. Topics without own configs share one object, so that thousands of topics cost
 * nothing.
 */
public final class TopicConfigs {
  private static final String PRODUCER_ID_EXPIRATION_MS = "producer.id.expiration.ms";

  private final EffectiveConfigs configs;
  private final int producerIdExpirationMs;
  private @Nullable TopicSettings shared;

  /** {@code properties} is what server.properties sets. */
  public TopicConfigs(int nodeId, Map<String, String> properties, int producerIdExpirationMs) {
    this.configs = new EffectiveConfigs(nodeId, properties);
    this.producerIdExpirationMs = producerIdExpirationMs;
  }

  /** The settings of a topic under {@code image}. */
  public TopicSettings of(MetadataImage image, String topic) {
    TopicSettings settings = shared;
    if (settings == null) {
      settings = deriveShared(image);
      shared = settings;
    }
    ConfigurationImage own =
        image.configs().resourceData().get(new ConfigResource(ConfigResource.Type.TOPIC, topic));
    if (own != null) {
      for (Map.Entry<String, String> config : own.data().entrySet()) {
        settings = settings.with(config.getKey(), config.getValue());
      }
    }
    return settings;
  }

  /**
   * Takes note of a metadata update, before settings are asked for under its image. Returns what to
   * derive again.
   */
  public Changed onMetadataUpdate(MetadataDelta delta) {
    ConfigurationsDelta changes = delta.configsDelta();
    if (changes == null) {
      return Changed.NOTHING;
    }
    boolean all = false;
    Set<String> topics = new TreeSet<>();
    for (ConfigResource resource : changes.changes().keySet()) {
      if (resource.type() == ConfigResource.Type.BROKER) {
        all = true;
      } else if (resource.type() == ConfigResource.Type.TOPIC) {
        topics.add(resource.name());
      }
    }
    if (all) {
      shared = null;
    }
    return new Changed(all, topics);
  }

  /**
   * Whose settings may have changed.
   *
   * @param all every topic's
   * @param topics these topics', sorted; some may be deleted
   */
  public record Changed(boolean all, Set<String> topics) {
    static final Changed NOTHING = new Changed(false, Set.of());
  }

  private TopicSettings deriveShared(MetadataImage image) {
    TopicSettings settings = TopicSettings.defaults();
    settings =
        new TopicSettings(
            settings.log().withProducerIdExpirationMs(producerIdExpirationMs(image)),
            settings.minInsyncReplicas(),
            settings.uncleanLeaderElection());
    for (String key : TopicSettings.keys()) {
      List<EffectiveConfigs.Level> levels = configs.ofTopic(image, null, key);
      if (!levels.isEmpty()) {
        settings = settings.with(key, levels.get(0).value());
      }
    }
    return settings;
  }

  private int producerIdExpirationMs(MetadataImage image) {
    List<EffectiveConfigs.Level> levels = configs.ofBroker(image, PRODUCER_ID_EXPIRATION_MS);
    return levels.isEmpty() ? producerIdExpirationMs : Integer.parseInt(levels.get(0).value());
  }
}
