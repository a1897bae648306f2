package dev.tidemark.broker.replication;

import dev.tidemark.metadata.DynamicOnlyKeys;
import dev.tidemark.metadata.EffectiveConfigs;
import dev.tidemark.metadata.MetadataListener;
import dev.tidemark.replica.fetch.QuotaWindow;
import dev.tidemark.replica.fetch.ReplicationThrottle;
import dev.tidemark.replica.fetch.ThrottledReplicas;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.config.QuotaConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps both throttles of a broker as the configs of brokers and topics say (KIP-73). Owned by the
 * data shard.
 */
final class ReplicationThrottles implements MetadataListener {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicationThrottles.class);

  private final int nodeId;
  private final EffectiveConfigs effective;
  private final ReplicationThrottle ofLeaders;
  private final ReplicationThrottle ofFollowers;

  ReplicationThrottles(int nodeId, QuotaWindow window) {
    this.nodeId = nodeId;
    this.effective = new EffectiveConfigs(nodeId, Map.of());
    this.ofLeaders = new ReplicationThrottle(window);
    this.ofFollowers = new ReplicationThrottle(window);
  }

  /** Of what this broker sends to followers. */
  ReplicationThrottle ofLeaders() {
    return ofLeaders;
  }

  /** Of what the followers on this broker fetch. */
  ReplicationThrottle ofFollowers() {
    return ofFollowers;
  }

  /** Applies what the image says, at the start. */
  void apply(MetadataImage image) {
    applyRates(image);
    image.configs().resourceData().keySet().forEach(resource -> applyReplicas(image, resource));
  }

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    if (delta.configsDelta() == null) {
      return;
    }
    for (ConfigResource resource : delta.configsDelta().changes().keySet()) {
      if (resource.type() == ConfigResource.Type.BROKER) {
        applyRates(image);
      } else {
        applyReplicas(image, resource);
      }
    }
  }

  private void applyRates(MetadataImage image) {
    ofLeaders.bytesPerSecond(rate(image, QuotaConfig.LEADER_REPLICATION_THROTTLED_RATE_CONFIG));
    ofFollowers.bytesPerSecond(rate(image, QuotaConfig.FOLLOWER_REPLICATION_THROTTLED_RATE_CONFIG));
  }

  private long rate(MetadataImage image, String key) {
    List<EffectiveConfigs.Level> levels = effective.ofBroker(image, key);
    if (levels.isEmpty()) {
      return Long.MAX_VALUE;
    }
    try {
      return DynamicOnlyKeys.parseLong(key, levels.get(0).value());
    } catch (IllegalArgumentException e) {
      LOG.warn("{}; replication is not throttled by it", e.getMessage());
      return Long.MAX_VALUE;
    }
  }

  private void applyReplicas(MetadataImage image, ConfigResource resource) {
    if (resource.type() != ConfigResource.Type.TOPIC) {
      return;
    }
    Map<String, String> configs = image.configs().configMapForResource(resource);
    ofLeaders.replicas(
        resource.name(),
        replicas(configs.get(QuotaConfig.LEADER_REPLICATION_THROTTLED_REPLICAS_CONFIG)));
    ofFollowers.replicas(
        resource.name(),
        replicas(configs.get(QuotaConfig.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_CONFIG)));
  }

  private ThrottledReplicas replicas(@Nullable String list) {
    return list == null ? ThrottledReplicas.NONE : ThrottledReplicas.parse(list, nodeId);
  }
}
