package dev.tidemark.broker;

import dev.tidemark.metadata.MetadataBootstrap;
import dev.tidemark.metadata.MetadataView;
import java.util.TreeMap;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.common.MetadataVersion;

/** The features that ApiVersions tells: what this broker knows and what the cluster has on. */
final class ClusterFeatures {
  private final MetadataView view;

  ClusterFeatures(MetadataView view) {
    this.view = view;
  }

  /** An answer with the features filled in and nothing else. */
  ApiVersionsResponseData answer() {
    ApiVersionsResponseData answer = new ApiVersionsResponseData();
    addSupported(
        answer,
        MetadataVersion.FEATURE_NAME,
        MetadataVersion.MINIMUM_VERSION.featureLevel(),
        MetadataVersion.LATEST_PRODUCTION.featureLevel());
    MetadataBootstrap.supportedFeatures()
        .forEach((name, level) -> addSupported(answer, name, (short) 0, level));
    MetadataImage image = view.image();
    new TreeMap<>(image.features().finalizedVersions())
        .forEach((name, level) -> addFinalized(answer, name, level));
    image
        .features()
        .metadataVersion()
        .ifPresent(
            version -> addFinalized(answer, MetadataVersion.FEATURE_NAME, version.featureLevel()));
    return answer.setFinalizedFeaturesEpoch(image.highestOffsetAndEpoch().offset());
  }

  private static void addSupported(
      ApiVersionsResponseData answer, String name, short min, short max) {
    answer
        .supportedFeatures()
        .add(new SupportedFeatureKey().setName(name).setMinVersion(min).setMaxVersion(max));
  }

  private static void addFinalized(ApiVersionsResponseData answer, String name, short level) {
    if (answer.finalizedFeatures().find(name) == null) {
      answer
          .finalizedFeatures()
          .add(
              new FinalizedFeatureKey()
                  .setName(name)
                  .setMinVersionLevel(level)
                  .setMaxVersionLevel(level));
    }
  }
}
