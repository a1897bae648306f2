package dev.tidemark.metadata;

import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.image.ConfigurationDelta;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * Replays records into a delta. A delta that spans many batches forgets to delete the configs of a
 * topic that it has seen configured and removed; a topic that is created anew under the same name
 * would have them. So they are taken away before the topic is.
 */
final class MetadataReplay {
  private MetadataReplay() {}

  static void replay(MetadataDelta delta, Iterable<ApiMessageAndVersion> records) {
    for (ApiMessageAndVersion record : records) {
      if (record.message() instanceof RemoveTopicRecord removed) {
        removeConfigs(delta, removed);
      }
      delta.replay(record.message());
    }
  }

  private static void removeConfigs(MetadataDelta delta, RemoveTopicRecord removed) {
    if (delta.topicsDelta() == null || delta.configsDelta() == null) {
      return;
    }
    TopicDelta topic = delta.topicsDelta().changedTopic(removed.topicId());
    if (topic == null) {
      return;
    }
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
    ConfigurationDelta configs = delta.configsDelta().changes().get(resource);
    if (configs != null) {
      for (String key : configs.apply().data().keySet()) {
        configs.replay(
            new ConfigRecord()
                .setResourceType(resource.type().id())
                .setResourceName(resource.name())
                .setName(key)
                .setValue(null));
      }
    }
  }
}
