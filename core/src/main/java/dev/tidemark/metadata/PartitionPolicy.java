package dev.tidemark.metadata;

import java.util.List;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.EligibleLeaderReplicasVersion;

/** What configs and features say about elections. */
final class PartitionPolicy {
  private static final short OFF = 0;

  private final EffectiveConfigs configs;

  PartitionPolicy(EffectiveConfigs configs) {
    this.configs = configs;
  }

  /** min.insync.replicas of a topic, before it is capped by the number of replicas; at least 1. */
  int minInsyncReplicas(MetadataImage image, String topic) {
    String value = find(image, topic, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, "1");
    return Math.max(1, Integer.parseInt(value));
  }

  /** Whether a replica that may lack records may lead, if no other is there. */
  boolean allowsUncleanElection(MetadataImage image, String topic) {
    String value = find(image, topic, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
    return Boolean.parseBoolean(value);
  }

  /** Whether the cluster keeps eligible leader replicas (KIP-966). */
  static boolean keepsEligible(MetadataImage image) {
    return image
            .features()
            .finalizedVersions()
            .getOrDefault(EligibleLeaderReplicasVersion.FEATURE_NAME, OFF)
        > OFF;
  }

  private String find(MetadataImage image, String topic, String key, String otherwise) {
    List<EffectiveConfigs.Level> levels = configs.ofTopic(image, topic, key);
    return levels.isEmpty() ? otherwise : levels.get(0).value();
  }
}
