package dev.tidemark.metadata;

import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;

/** Hears of every change of cluster metadata, on the data shard, in the order of the log. */
@FunctionalInterface
public interface MetadataListener {
  /** The delta leads to {@code newImage}; neither may be changed. */
  void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage);
}
