package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData.UpdatableFeatureResult;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.VersionRange;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * Decides UpdateFeatures (KIP-584, KIP-1022): all of the asked levels become final, or none. A
 * level is lowered only where the request says so, and metadata.version only where no record would
 * lose its meaning.
 */
final class FeatureUpdate {
  private static final short LAST_VERSION_WITH_RESULTS = 1;
  private static final short OFF = 0;

  private FeatureUpdate() {}

  /**
   * @param version of the request: the older answers have a line for each feature
   */
  static Decision<UpdateFeaturesResponseData> decide(
      MetadataImage image, UpdateFeaturesRequestData request, short version) {
    UpdateFeaturesResponseData response = new UpdateFeaturesResponseData().setErrorMessage(null);
    Map<String, Short> proposed = ClusterFeatures.finalizedLevels(image);
    request
        .featureUpdates()
        .forEach(update -> proposed.put(update.feature(), update.maxVersionLevel()));
    List<ApiMessageAndVersion> records = new ArrayList<>();
    for (FeatureUpdateKey update : request.featureUpdates()) {
      try {
        check(image, update, version, proposed);
        addRecord(update, records);
      } catch (Refusal e) {
        return Decision.of(
            new UpdateFeaturesResponseData()
                .setErrorCode(e.error().code())
                .setErrorMessage("No feature was updated: " + e.message()));
      }
      if (version <= LAST_VERSION_WITH_RESULTS) {
        response
            .results()
            .add(
                new UpdatableFeatureResult()
                    .setFeature(update.feature())
                    .setErrorMessage(Errors.NONE.message()));
      }
    }
    return request.validateOnly() ? Decision.of(response) : new Decision<>(records, response);
  }

  /** The level of kraft.version stands in the log's own control records. */
  private static void addRecord(FeatureUpdateKey update, List<ApiMessageAndVersion> records) {
    if (!update.feature().equals(Feature.KRAFT_VERSION.featureName())) {
      records.add(
          new ApiMessageAndVersion(
              new FeatureLevelRecord()
                  .setName(update.feature())
                  .setFeatureLevel(update.maxVersionLevel()),
              (short) 0));
    }
  }

  private static void check(
      MetadataImage image, FeatureUpdateKey update, short version, Map<String, Short> proposed) {
    String feature = update.feature();
    short level = update.maxVersionLevel();
    UpgradeType type = type(update, version);
    if (type == UpgradeType.UNKNOWN) {
      throw refused(update, "the upgrade type " + update.upgradeType() + " is not known");
    }
    ClusterFeatures.Range supported = ClusterFeatures.supported().get(feature);
    if (supported == null) {
      throw refused(update, "this version knows no feature of that name");
    }
    boolean isOff = level == OFF && !feature.equals(MetadataVersion.FEATURE_NAME);
    if (level < 0 || (!isOff && !supported.contains(level))) {
      throw refused(
          update, "the supported levels are %d to %d".formatted(supported.min(), supported.max()));
    }
    checkBrokers(image, update);
    short current = ClusterFeatures.finalizedLevels(image).getOrDefault(feature, OFF);
    if (level < current && type == UpgradeType.UPGRADE) {
      throw refused(
          update,
          "it is at level %d; to lower it, ask for a safe or an unsafe downgrade"
              .formatted(current));
    }
    if (level > current && type != UpgradeType.UPGRADE) {
      throw refused(update, "it is at level %d; this is no downgrade".formatted(current));
    }
    if (level < current) {
      checkDowngrade(update, current);
    }
    checkDependencies(update, proposed);
  }

  /** A registered broker that does not understand the level would have to stop. */
  private static void checkBrokers(MetadataImage image, FeatureUpdateKey update) {
    if (update.maxVersionLevel() == OFF) {
      return;
    }
    for (BrokerRegistration broker : new TreeMap<>(image.cluster().brokers()).values()) {
      VersionRange range = broker.supportedFeatures().get(update.feature());
      if (range == null || !range.contains(update.maxVersionLevel())) {
        throw refused(
            update,
            "broker %d supports %s; update or unregister it"
                .formatted(
                    broker.id(),
                    range == null ? "no level of it" : range.min() + " to " + range.max()));
      }
    }
  }

  private static UpgradeType type(FeatureUpdateKey update, short version) {
    if (version == 0) {
      return update.allowDowngrade() ? UpgradeType.SAFE_DOWNGRADE : UpgradeType.UPGRADE;
    }
    return UpgradeType.fromCode(update.upgradeType());
  }

  private static void checkDowngrade(FeatureUpdateKey update, short current) {
    if (update.feature().equals(Feature.KRAFT_VERSION.featureName())) {
      throw refused(update, "the format of the quorum's records cannot go back");
    }
    if (update.feature().equals(MetadataVersion.FEATURE_NAME)
        && MetadataVersion.checkIfMetadataChanged(
            MetadataVersion.fromFeatureLevel(current),
            MetadataVersion.fromFeatureLevel(update.maxVersionLevel()))) {
      throw refused(
          update, "metadata that was written at level %d might be lost".formatted(current));
    }
  }

  /** What one feature asks of others; ours and those of the log itself ask nothing. */
  private static void checkDependencies(FeatureUpdateKey update, Map<String, Short> proposed) {
    String feature = update.feature();
    if (!MetadataBootstrap.isKafkas(feature)) {
      return;
    }
    try {
      Feature.validateVersion(
          Feature.featureFromName(feature).fromFeatureLevel(update.maxVersionLevel(), false),
          new TreeMap<>(proposed));
    } catch (IllegalArgumentException e) {
      throw refused(update, String.valueOf(e.getMessage()));
    }
  }

  private static Refusal refused(FeatureUpdateKey update, String why) {
    return new Refusal(
        Errors.INVALID_UPDATE_VERSION,
        "%s cannot be set to level %d: %s."
            .formatted(update.feature(), update.maxVersionLevel(), why));
  }
}
