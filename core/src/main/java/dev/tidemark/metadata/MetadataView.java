package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;

/**
 * Cluster metadata as the data shard sees it: an immutable image, replaced with each commit. A
 * change is here before the request that caused it is answered.
 */
public final class MetadataView {
  private final List<MetadataListener> listeners = new ArrayList<>();
  private MetadataImage image = MetadataImage.EMPTY;

  /** The newest image. */
  public MetadataImage image() {
    return image;
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
    for (MetadataListener listener : listeners) {
      try {
        listener.onMetadataUpdate(delta, newImage);
      } catch (RuntimeException e) {
        throw new MetadataNotApplied(listener, newImage.provenance().lastContainedOffset(), e);
      }
    }
  }
}
