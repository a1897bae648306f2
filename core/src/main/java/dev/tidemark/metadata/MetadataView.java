package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * Cluster metadata as the data shard sees it: an immutable image, replaced with each commit. A
 * change is here before the request that caused it is answered.
 */
public final class MetadataView {
  private final List<MetadataListener> listeners = new ArrayList<>();
  private MetadataImage image = MetadataImage.EMPTY;
  private Set<Uuid> deletedBefore = Set.of();
  private boolean keepsDeletions;

  /** The newest image. */
  public MetadataImage image() {
    return image;
  }

  /** The newest state of a partition; null when it is not in the image. */
  public @Nullable PartitionRegistration partition(Uuid topicId, int partition) {
    TopicImage topic = image.topics().getTopic(topicId);
    return topic == null ? null : topic.partitions().get(partition);
  }

  /**
   * True of a topic whose deletion stands in the metadata log as it was read at the start, or came
   * while deletions were {@linkplain #keepDeletions kept}. Of older deletions, which a snapshot has
   * summed up, nothing is known.
   */
  public boolean wasDeletedBefore(Uuid topicId) {
    return deletedBefore.contains(topicId);
  }

  /** On the data shard, before logs are opened; nobody changes the set any more. */
  void noteDeletedBefore(Set<Uuid> topicIds) {
    deletedBefore = topicIds;
  }

  /** What others deleted while this node was down is heard of now, before it opens its logs. */
  public void keepDeletions() {
    deletedBefore = new HashSet<>(deletedBefore);
    keepsDeletions = true;
  }

  /** The logs are opened: from now on listeners hear of each deletion. */
  public void forgetDeletions() {
    deletedBefore = Set.of();
    keepsDeletions = false;
  }

  /** Listeners are called in the order in which they were added. */
  public void addListener(MetadataListener listener) {
    listeners.add(listener);
  }

  /**
   * Takes over what the control shard committed; on the data shard.
   *
   * @throws MetadataNotApplied when a listener fails
   */
  void publish(MetadataDelta delta, MetadataImage newImage) {
    image = newImage;
    if (keepsDeletions && delta.topicsDelta() != null) {
      deletedBefore.addAll(delta.topicsDelta().deletedTopicIds());
    }
    for (MetadataListener listener : listeners) {
      try {
        listener.onMetadataUpdate(delta, newImage);
      } catch (RuntimeException e) {
        throw new MetadataNotApplied(listener, newImage.provenance().lastContainedOffset(), e);
      }
    }
  }
}
