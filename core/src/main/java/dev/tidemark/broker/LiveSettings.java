package dev.tidemark.broker;

import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.InvalidSetting;
import dev.tidemark.broker.settings.Setting;
import dev.tidemark.broker.settings.SettingValues;
import dev.tidemark.env.ConnectionBounds;
import dev.tidemark.metadata.EffectiveConfigs;
import dev.tidemark.metadata.MetadataListener;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the dynamic configs of the broker that belong to no topic to where they have their effect.
 * Owned by the data shard.
 */
final class LiveSettings implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(LiveSettings.class);

  private final BrokerSettings settings;
  private final EffectiveConfigs effective;
  private final ConnectionBounds bounds;
  private Consumer<CleanerSettings> cleaner = none -> {};

  LiveSettings(BrokerSettings settings, ConnectionBounds bounds) {
    this.settings = settings;
    this.effective = new EffectiveConfigs(settings.nodeId(), settings.texts());
    this.bounds = bounds;
  }

  /** Whom to tell how logs are compacted. */
  void onCleanerSettings(Consumer<CleanerSettings> told) {
    cleaner = told;
  }

  /** Applies what the image says, at the start. */
  void apply(MetadataImage image) {
    SettingValues now = new Now(image);
    bounds.maxConnections(now.get(HonouredSettings.MAX_CONNECTIONS));
    bounds.maxConnectionsPerIp(now.get(HonouredSettings.MAX_CONNECTIONS_PER_IP));
    cleaner.accept(CleanerSettings.of(now));
  }

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    boolean concerned =
        delta.configsDelta() != null
            && delta.configsDelta().changes().keySet().stream()
                .anyMatch(resource -> resource.type() == ConfigResource.Type.BROKER);
    if (concerned) {
      apply(image);
    }
  }

  /** The values that hold by an image. */
  private final class Now implements SettingValues {
    private final MetadataImage image;

    Now(MetadataImage image) {
      this.image = image;
    }

    @Override
    public <T> T get(Setting<T> setting) {
      List<EffectiveConfigs.Level> levels = effective.ofBroker(image, setting.name());
      try {
        if (!levels.isEmpty()) {
          return setting.parse(levels.get(0).value());
        }
      } catch (InvalidSetting e) {
        LOG.warn("{}; the value of server.properties holds", e.getMessage());
      }
      return settings.get(setting);
    }
  }
}
