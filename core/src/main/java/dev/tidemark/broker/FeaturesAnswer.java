package dev.tidemark.broker;

import dev.tidemark.metadata.ClusterFeatures;
import java.util.function.Supplier;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.apache.kafka.image.MetadataImage;

/** The features that ApiVersions tells: what this broker knows and what the cluster has on. */
final class FeaturesAnswer {
  private final Supplier<MetadataImage> metadata;

  FeaturesAnswer(Supplier<MetadataImage> metadata) {
    this.metadata = metadata;
  }

  /** An answer with the features filled in and nothing else. */
  ApiVersionsResponseData make() {
    ApiVersionsResponseData answer = new ApiVersionsResponseData();
    ClusterFeatures.supported()
        .forEach(
            (name, range) ->
                answer
                    .supportedFeatures()
                    .add(
                        new SupportedFeatureKey()
                            .setName(name)
                            .setMinVersion(range.min())
                            .setMaxVersion(range.max())));
    MetadataImage image = metadata.get();
    ClusterFeatures.finalizedLevels(image)
        .forEach(
            (name, level) ->
                answer
                    .finalizedFeatures()
                    .add(
                        new FinalizedFeatureKey()
                            .setName(name)
                            .setMinVersionLevel(level)
                            .setMaxVersionLevel(level)));
    return answer.setFinalizedFeaturesEpoch(image.highestOffsetAndEpoch().offset());
  }
}
