package dev.tidemark.metadata;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.image.ConfigurationImage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.jspecify.annotations.Nullable;

/**
 * Where in the metadata log min.insync.replicas was changed last. Who is eligible to lead (KIP-966)
 * is decided from the ISR and this floor; a leader that takes another ISR from an answer while it
 * still counts with the old floor could acknowledge what those that are eligible lack. So a leader
 * changes no ISR before it has applied the last change of the floor.
 */
final class FloorChanges {
  private static final String KEY = TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG;

  private final Map<String, Long> topics = new HashMap<>();
  private long everywhere;

  /** This node decides from now on; what was changed before, and when, it does not know. */
  void onActive(MetadataImage image) {
    topics.clear();
    everywhere = image.provenance().lastContainedOffset();
  }

  void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    if (delta.topicsDelta() != null) {
      for (Uuid id : delta.topicsDelta().deletedTopicIds()) {
        TopicImage topic = delta.topicsDelta().image().getTopic(id);
        if (topic != null) {
          topics.remove(topic.name());
        }
      }
    }
    if (delta.configsDelta() == null) {
      return;
    }
    long offset = image.provenance().lastContainedOffset();
    for (ConfigResource resource : delta.configsDelta().changes().keySet()) {
      if (!changes(delta, image, resource)) {
        continue;
      }
      if (resource.type() == ConfigResource.Type.TOPIC) {
        topics.put(resource.name(), offset);
      } else {
        everywhere = offset;
      }
    }
  }

  /** A topic that is new is not known to its leader before its configs are. */
  private static boolean changes(
      MetadataDelta delta, MetadataImage image, ConfigResource resource) {
    boolean isNew =
        resource.type() == ConfigResource.Type.TOPIC
            && delta.image().topics().getTopic(resource.name()) == null;
    String before = value(delta.image(), resource);
    String after = value(image, resource);
    return !isNew && (before == null ? after != null : !before.equals(after));
  }

  private static @Nullable String value(MetadataImage image, ConfigResource resource) {
    ConfigurationImage configs = image.configs().resourceData().get(resource);
    return configs == null ? null : configs.data().get(KEY);
  }

  /** Up to where a leader of the topic must have applied the metadata. */
  long neededOffset(String topic) {
    return Math.max(everywhere, topics.getOrDefault(topic, everywhere));
  }
}
