package dev.tidemark.broker.request;

import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.jspecify.annotations.Nullable;

/**
 * Groups the partitions of a fetch answer by topic, as long as those of a topic follow each other.
 */
final class FetchAnswerTopics {
  private final FetchResponseData response;
  private FetchedPartition.@Nullable Key lastKey;
  private @Nullable FetchableTopicResponse last;

  FetchAnswerTopics(FetchResponseData response) {
    this.response = response;
  }

  void add(FetchedPartition.Key key, PartitionData data) {
    FetchableTopicResponse topic = last;
    if (topic == null || lastKey == null || !sameTopic(lastKey, key)) {
      topic = new FetchableTopicResponse().setTopicId(key.topicId());
      if (key.topic() != null) {
        topic.setTopic(key.topic());
      }
      response.responses().add(topic);
      last = topic;
      lastKey = key;
    }
    topic.partitions().add(data);
  }

  private static boolean sameTopic(FetchedPartition.Key one, FetchedPartition.Key other) {
    return one.topic() == null
        ? one.topicId().equals(other.topicId())
        : one.topic().equals(other.topic());
  }
}
