package dev.tidemark.broker;

import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.InvalidSetting;
import dev.tidemark.broker.settings.Setting;
import dev.tidemark.env.ConnectionBounds;
import dev.tidemark.metadata.EffectiveConfigs;
import dev.tidemark.metadata.MetadataListener;
import java.util.List;
import java.util.function.IntConsumer;
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

  LiveSettings(BrokerSettings settings, ConnectionBounds bounds) {
    this.settings = settings;
    this.effective = new EffectiveConfigs(settings.nodeId(), settings.texts());
    this.bounds = bounds;
  }

  /** Applies what the image says, at the start. */
  void apply(MetadataImage image) {
    apply(image, HonouredSettings.MAX_CONNECTIONS, bounds::maxConnections);
    apply(image, HonouredSettings.MAX_CONNECTIONS_PER_IP, bounds::maxConnectionsPerIp);
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

  private void apply(MetadataImage image, Setting<Integer> setting, IntConsumer effect) {
    List<EffectiveConfigs.Level> levels = effective.ofBroker(image, setting.name());
    int value = settings.get(setting);
    try {
      if (!levels.isEmpty()) {
        value = setting.parse(levels.get(0).value());
      }
    } catch (InvalidSetting e) {
      LOG.warn("{}; the value of server.properties holds", e.getMessage());
    }
    effect.accept(value);
  }
}
