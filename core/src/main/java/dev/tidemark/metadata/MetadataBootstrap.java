package dev.tidemark.metadata;

import dev.tidemark.quorum.MetadataLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/** The first records of a cluster: which features are on, and the defaults that are stored. */
public final class MetadataBootstrap {
  /** The name of our own feature; Kafka's names are in {@link Feature}. */
  public static final String TIDEMARK_FEATURE = "tidemark.version";

  /** The newest level of {@link #TIDEMARK_FEATURE} this version understands. */
  public static final short TIDEMARK_LEVEL = 1;

  /** What a new cluster asks of acks=all; capped by the number of replicas. */
  static final String MIN_INSYNC_REPLICAS = "2";

  /** Kafka's features that a new cluster has, apart from metadata.version. */
  static final List<Feature> FEATURES =
      List.of(
          Feature.GROUP_VERSION,
          Feature.TRANSACTION_VERSION,
          Feature.ELIGIBLE_LEADER_REPLICAS_VERSION);

  private MetadataBootstrap() {}

  /** The highest level of each feature that this version understands, metadata.version apart. */
  public static SortedMap<String, Short> supportedFeatures() {
    SortedMap<String, Short> levels = new TreeMap<>();
    for (Feature feature : FEATURES) {
      levels.put(feature.featureName(), feature.latestProduction());
    }
    levels.put(TIDEMARK_FEATURE, TIDEMARK_LEVEL);
    return levels;
  }

  /** True for those of {@link #supportedFeatures} that are Kafka's, not our own. */
  static boolean isKafkas(String feature) {
    return FEATURES.stream().anyMatch(one -> one.featureName().equals(feature));
  }

  /** Starts the log and appends the first records unless there are some. */
  public static void writeIfMissing(MetadataLog log, MetadataLog.Listener listener)
      throws IOException {
    boolean[] found = {false};
    log.start(
        batch -> {
          found[0] = true;
          listener.onCommit(batch);
        });
    if (found[0]) {
      return;
    }
    IOException[] failure = {null};
    log.append(
        records(),
        new MetadataLog.Completion() {
          @Override
          public void onCommitted(long lastOffset) {
            // The log is closed by the caller; nothing waits for this.
          }

          @Override
          public void onFailed(Throwable cause) {
            failure[0] = new IOException("The first metadata records were not written", cause);
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  /** The records, metadata.version first because it decides how the others are read. */
  static List<ApiMessageAndVersion> records() {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    records.add(
        feature(MetadataVersion.FEATURE_NAME, MetadataVersion.LATEST_PRODUCTION.featureLevel()));
    for (Feature feature : FEATURES) {
      records.add(feature(feature.featureName(), feature.latestProduction()));
    }
    records.add(feature(TIDEMARK_FEATURE, TIDEMARK_LEVEL));
    records.add(
        new ApiMessageAndVersion(
            new ConfigRecord()
                .setResourceType(ConfigResource.Type.BROKER.id())
                .setResourceName("")
                .setName(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG)
                .setValue(MIN_INSYNC_REPLICAS),
            (short) 0));
    return records;
  }

  private static ApiMessageAndVersion feature(String name, short level) {
    return new ApiMessageAndVersion(
        new FeatureLevelRecord().setName(name).setFeatureLevel(level), (short) 0);
  }
}
