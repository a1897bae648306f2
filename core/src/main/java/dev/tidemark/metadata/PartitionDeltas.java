package dev.tidemark.metadata;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/** What a change of metadata means to each partition that it touches. */
final class PartitionDeltas {
  private PartitionDeltas() {}

  /** Hears of one partition; never are both null. */
  interface Visitor {
    /**
     * One partition was made, changed or deleted.
     *
     * @param before null of a new partition
     * @param after null of one whose topic is deleted
     */
    void visit(
        PartitionKey key,
        @Nullable PartitionRegistration before,
        @Nullable PartitionRegistration after);
  }

  /** Visits deleted partitions first, then those that are new or changed. */
  static void forEach(MetadataDelta delta, Visitor visitor) {
    if (delta.topicsDelta() == null) {
      return;
    }
    for (Uuid id : delta.topicsDelta().deletedTopicIds()) {
      TopicImage topic = delta.topicsDelta().image().getTopic(id);
      if (topic != null) {
        topic
            .partitions()
            .forEach((index, before) -> visitor.visit(new PartitionKey(id, index), before, null));
      }
    }
    for (TopicDelta topic : delta.topicsDelta().changedTopics().values()) {
      topic
          .partitionChanges()
          .forEach(
              (index, after) ->
                  visitor.visit(
                      new PartitionKey(topic.id(), index),
                      topic.image().partitions().get(index),
                      after));
    }
  }
}
