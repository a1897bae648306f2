package dev.tidemark.broker.control;

import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/** What a change of metadata takes from a broker that led. */
final class Leaderships {
  private Leaderships() {}

  /**
   * True when somebody waits for this broker to say that it has applied the change: it has given up
   * a leadership, or another broker, which stops, has.
   */
  static boolean isAwaited(MetadataDelta delta, MetadataImage image, int brokerId) {
    if (delta.topicsDelta() == null) {
      return false;
    }
    boolean othersStop =
        image.cluster().brokers().values().stream().anyMatch(Leaderships::isStopping);
    if (othersStop) {
      return true;
    }
    for (TopicDelta topic : delta.topicsDelta().changedTopics().values()) {
      if (takesFrom(topic, brokerId)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isStopping(BrokerRegistration broker) {
    return broker.inControlledShutdown() && !broker.fenced();
  }

  private static boolean takesFrom(TopicDelta topic, int brokerId) {
    TopicImage before = topic.image();
    return topic.partitionChanges().entrySet().stream()
        .anyMatch(
            change ->
                change.getValue().leader != brokerId
                    && leads(before.partitions().get(change.getKey()), brokerId));
  }

  private static boolean leads(@Nullable PartitionRegistration partition, int brokerId) {
    return partition != null && partition.leader == brokerId;
  }
}
