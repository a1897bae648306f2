package dev.tidemark.metadata;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.image.TopicsDelta;
import org.jspecify.annotations.Nullable;

/**
 * Finds topics whose names differ only in '.' and '_': metrics write both alike, so two such topics
 * may not exist. Only names with one of the letters are kept.
 */
final class TopicNames {
  private final Map<String, TreeSet<String>> byUnifiedName = new HashMap<>();

  void onMetadataUpdate(MetadataDelta delta) {
    TopicsDelta topics = delta.topicsDelta();
    if (topics == null) {
      return;
    }
    for (Uuid deleted : topics.deletedTopicIds()) {
      TopicImage topic = topics.image().getTopic(deleted);
      if (topic != null) {
        remove(topic.name());
      }
    }
    for (TopicDelta changed : topics.changedTopics().values()) {
      add(changed.name());
    }
  }

  /** The first topic, in the order of names, that {@code name} collides with, or null. */
  @Nullable String collisionOf(String name) {
    if (!Topic.hasCollisionChars(name)) {
      return null;
    }
    TreeSet<String> similar = byUnifiedName.get(Topic.unifyCollisionChars(name));
    return similar == null || similar.isEmpty() ? null : similar.first();
  }

  private void add(String name) {
    if (Topic.hasCollisionChars(name)) {
      byUnifiedName
          .computeIfAbsent(Topic.unifyCollisionChars(name), key -> new TreeSet<>())
          .add(name);
    }
  }

  private void remove(String name) {
    TreeSet<String> similar = byUnifiedName.get(Topic.unifyCollisionChars(name));
    if (similar != null) {
      similar.remove(name);
      if (similar.isEmpty()) {
        byUnifiedName.remove(Topic.unifyCollisionChars(name));
      }
    }
  }
}
