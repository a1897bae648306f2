package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/** Registration of a broker's new run. */
final class BrokerRegistering {
  private BrokerRegistering() {}

  /** {@code brokerEpoch} is the offset that the first record will have. */
  static Decision<Long> decide(MetadataImage image, BrokerIncarnation broker, long brokerEpoch) {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    MetadataVersion version = image.features().metadataVersionOrThrow();
    records.add(
        new ApiMessageAndVersion(
            registration(broker, brokerEpoch), version.registerBrokerRecordVersion()));
    // In the order of ids, so that equal histories give equal logs.
    TreeMap<Uuid, TopicImage> topics = new TreeMap<>(image.topics().topicsById());
    for (TopicImage topic : topics.values()) {
      new TreeMap<>(topic.partitions())
          .forEach(
              (partition, state) -> {
                if (isToLead(state, broker)) {
                  records.add(newLeaderEpoch(topic.id(), partition, broker.brokerId(), version));
                }
              });
    }
    return new Decision<>(records, brokerEpoch);
  }

  /** Who goes on leading exactly what it had needs no new epoch, and the log no record of it. */
  private static boolean isToLead(PartitionRegistration state, BrokerIncarnation broker) {
    int brokerId = broker.brokerId();
    return (state.leader == brokerId && !broker.afterCleanStop())
        || (!state.hasLeader() && org.apache.kafka.metadata.Replicas.contains(state.isr, brokerId));
  }

  private static ApiMessageAndVersion newLeaderEpoch(
      Uuid topicId, int partition, int leader, MetadataVersion version) {
    return new ApiMessageAndVersion(
        new PartitionChangeRecord().setTopicId(topicId).setPartitionId(partition).setLeader(leader),
        version.partitionChangeRecordVersion());
  }

  private static RegisterBrokerRecord registration(BrokerIncarnation broker, long brokerEpoch) {
    RegisterBrokerRecord record =
        new RegisterBrokerRecord()
            .setBrokerId(broker.brokerId())
            .setIncarnationId(broker.incarnationId())
            .setBrokerEpoch(brokerEpoch)
            .setRack(broker.rack().orElse(null))
            .setFenced(false)
            .setInControlledShutdown(false)
            .setLogDirs(broker.directoryIds());
    for (BrokerIncarnation.Listener listener : broker.listeners()) {
      record
          .endPoints()
          .add(
              new RegisterBrokerRecord.BrokerEndpoint()
                  .setName(listener.name())
                  .setHost(listener.host())
                  .setPort(listener.port())
                  .setSecurityProtocol(listener.securityProtocol()));
    }
    addFeature(
        record,
        MetadataVersion.FEATURE_NAME,
        MetadataVersion.MINIMUM_VERSION.featureLevel(),
        MetadataVersion.LATEST_PRODUCTION.featureLevel());
    addFeature(record, Feature.KRAFT_VERSION.featureName(), (short) 0, (short) 1);
    for (Feature feature : MetadataBootstrap.FEATURES) {
      addFeature(
          record, feature.featureName(), feature.minimumProduction(), feature.latestProduction());
    }
    addFeature(
        record, MetadataBootstrap.TIDEMARK_FEATURE, (short) 1, MetadataBootstrap.TIDEMARK_LEVEL);
    return record;
  }

  private static void addFeature(RegisterBrokerRecord record, String name, short min, short max) {
    record
        .features()
        .add(
            new RegisterBrokerRecord.BrokerFeature()
                .setName(name)
                .setMinSupportedVersion(min)
                .setMaxSupportedVersion(max));
  }
}
