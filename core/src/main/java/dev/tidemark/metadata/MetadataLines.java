package dev.tidemark.metadata;

import java.util.List;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.metadata.BrokerRegistrationFencingChange;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line in the log for each committed change of metadata that an operator may look for. */
final class MetadataLines {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataLines.class);

  private MetadataLines() {}

  /** Tells of a committed batch. */
  static void tell(List<ApiMessageAndVersion> records) {
    int unclean = 0;
    for (ApiMessageAndVersion record : records) {
      tell(record.message());
      if (record.message() instanceof PartitionChangeRecord change
          && change.leaderRecoveryState() == LeaderRecoveryState.RECOVERING.value()) {
        unclean++;
      }
    }
    if (unclean > 0) {
      LOG.warn(
          "{} partitions are led by a replica that may lack acknowledged records (unclean election)",
          unclean);
    }
  }

  private static void tell(ApiMessage record) {
    if (record instanceof TopicRecord topic) {
      LOG.info("Created topic {} with topic ID {}.", topic.name(), topic.topicId());
    } else if (record instanceof RemoveTopicRecord removed) {
      LOG.info("Removed topic with ID {}.", removed.topicId());
    } else if (record instanceof ConfigRecord config) {
      ConfigResource.Type type = ConfigResource.Type.forId(config.resourceType());
      if (config.value() == null) {
        LOG.info("{} '{}': removed configuration {}", type, config.resourceName(), config.name());
      } else {
        // Not the value: some are secrets.
        LOG.info("{} '{}': set configuration {}", type, config.resourceName(), config.name());
      }
    } else if (record instanceof RegisterBrokerRecord broker) {
      LOG.info("Registered broker {} with epoch {}", broker.brokerId(), broker.brokerEpoch());
    } else if (record instanceof BrokerRegistrationChangeRecord change) {
      tell(change);
    } else if (record instanceof UnregisterBrokerRecord broker) {
      LOG.info("Unregistered broker {} with epoch {}", broker.brokerId(), broker.brokerEpoch());
    } else if (record instanceof FeatureLevelRecord feature) {
      LOG.info("Set the feature level of {} to {}", feature.name(), feature.featureLevel());
    }
  }

  private static void tell(BrokerRegistrationChangeRecord change) {
    if (change.fenced() == BrokerRegistrationFencingChange.FENCE.value()) {
      LOG.info("Fenced broker {} with epoch {}", change.brokerId(), change.brokerEpoch());
    } else if (change.fenced() == BrokerRegistrationFencingChange.UNFENCE.value()) {
      LOG.info("Unfenced broker {} with epoch {}", change.brokerId(), change.brokerEpoch());
    }
  }
}
