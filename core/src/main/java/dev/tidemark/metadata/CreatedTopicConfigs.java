package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.image.MetadataImage;

/** What CreateTopics tells of a new topic's configs: every key with the value that holds. */
final class CreatedTopicConfigs {
  private CreatedTopicConfigs() {}

  static List<CreatableTopicConfigs> list(
      MetadataImage image, EffectiveConfigs configs, Map<String, String> own) {
    List<CreatableTopicConfigs> all = new ArrayList<>();
    for (ConfigKey key : TopicKeys.keys().values()) {
      String name = key.name;
      CreatableTopicConfigs config = new CreatableTopicConfigs().setName(name);
      String value = own.get(name);
      List<EffectiveConfigs.Level> levels = configs.ofTopic(image, null, name);
      if (value != null) {
        config.setValue(value).setConfigSource(ConfigSource.TOPIC_CONFIG.id());
      } else if (!levels.isEmpty()) {
        config.setValue(levels.get(0).value()).setConfigSource(levels.get(0).source().id());
      } else {
        config
            .setValue(ConfigDef.convertToString(key.defaultValue, key.type))
            .setConfigSource(ConfigSource.DEFAULT_CONFIG.id());
      }
      all.add(config.setReadOnly(false).setIsSensitive(false));
    }
    return all;
  }
}
