package dev.tidemark.metadata;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.GroupVersion;
import org.apache.kafka.server.common.MetadataVersion;

/** The features that this version supports, and the levels that a cluster has made final. */
public final class ClusterFeatures {
  private static final short OFF = 0;

  private ClusterFeatures() {}

  /** Levels, both ends inclusive. */
  public record Range(short min, short max) {
    boolean contains(short level) {
      return level >= min && level <= max;
    }
  }

  /** What this version supports, by feature. */
  public static SortedMap<String, Range> supported() {
    SortedMap<String, Range> ranges = new TreeMap<>();
    ranges.put(
        MetadataVersion.FEATURE_NAME,
        new Range(
            MetadataVersion.MINIMUM_VERSION.featureLevel(),
            MetadataVersion.LATEST_PRODUCTION.featureLevel()));
    ranges.put(
        Feature.KRAFT_VERSION.featureName(),
        new Range(
            Feature.KRAFT_VERSION.minimumProduction(), Feature.KRAFT_VERSION.latestProduction()));
    MetadataBootstrap.supportedFeatures()
        .forEach((name, level) -> ranges.put(name, new Range((short) 0, level)));
    return ranges;
  }

  /** What the cluster has on, by feature; those at level 0 are left out. */
  public static Map<String, Short> finalizedLevels(MetadataImage image) {
    Map<String, Short> levels = new TreeMap<>(image.features().finalizedVersions());
    image
        .features()
        .metadataVersion()
        .ifPresent(version -> levels.put(MetadataVersion.FEATURE_NAME, version.featureLevel()));
    // The metadata log begins with the control record that says so.
    levels.put(Feature.KRAFT_VERSION.featureName(), Feature.KRAFT_VERSION.latestProduction());
    return levels;
  }

  /** Whether the cluster has consumer groups of the new protocol on (KIP-848). */
  public static boolean hasConsumerGroups(MetadataImage image) {
    short level =
        image.features().finalizedVersions().getOrDefault(Feature.GROUP_VERSION.featureName(), OFF);
    return level >= GroupVersion.GV_1.featureLevel();
  }
}
