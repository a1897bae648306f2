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
    if (isAnyStopping(image)) {
      return true;
    }
    for (TopicDelta topic : delta.topicsDelta().changedTopics().values()) {
      if (takesFrom(topic, brokerId)) {
        return true;
      }
    }
    return false;
  }

  /** True while a broker wants to stop, for which all others must know that it leads nothing. */
  static boolean isAnyStopping(MetadataImage image) {
    return image.cluster().brokers().values().stream().anyMatch(Leaderships::isStopping);
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
