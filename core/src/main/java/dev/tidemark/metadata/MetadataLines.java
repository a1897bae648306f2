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
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistrationFencingChange;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line in the log for each committed change of metadata that an operator may look for. */
final class MetadataLines {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataLines.class);

  private MetadataLines() {}

  /** Tells of a committed batch, which changes {@code before}. */
  static void tell(List<ApiMessageAndVersion> records, MetadataImage before) {
    int unclean = 0;
    int alone = 0;
    for (ApiMessageAndVersion record : records) {
      tell(record.message());
      if (record.message() instanceof PartitionChangeRecord change
          && change.leaderRecoveryState() == LeaderRecoveryState.RECOVERING.value()) {
        if (isAlone(change, before)) {
          alone++;
        } else {
          unclean++;
        }
      }
    }
    if (alone > 0) {
      LOG.info("{} partitions begin a new leader epoch after a stop that was not clean", alone);
    }
    if (unclean > 0) {
      LOG.warn(
          "{} partitions are led by a replica that may lack acknowledged records (unclean election)",
          unclean);
    }
  }

  /** There was no choice, and what the replica lost at a power loss its recovery tells. */
  private static boolean isAlone(PartitionChangeRecord change, MetadataImage before) {
    TopicImage topic = before.topics().getTopic(change.topicId());
    PartitionRegistration state =
        topic == null ? null : topic.partitions().get(change.partitionId());
    return state != null && state.replicas.length == 1;
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
