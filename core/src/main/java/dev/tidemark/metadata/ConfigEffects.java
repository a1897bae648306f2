package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * What changed configs mean for partitions, in the same batch as the configs: with a lower
 * min.insync.replicas the high watermark may go on without those that were eligible to lead, so
 * they are not any more (KIP-966); where unclean elections are allowed now, partitions without a
 * leader get one.
 */
final class ConfigEffects {
  private final ElectionContext context;

  ConfigEffects(ElectionContext context) {
    this.context = context;
  }

  /**
   * {@code decision} and what follows from it; {@code redo} is asked when one batch is too small.
   */
  <T> Decision<T> with(
      MetadataImage image,
      Decision<T> decision,
      java.util.function.Function<MetadataImage, Decision<T>> redo) {
    Topics floors = new Topics(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    Topics elections = new Topics(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG);
    for (ApiMessageAndVersion record : decision.records()) {
      if (record.message() instanceof ConfigRecord config) {
        floors.note(config);
        elections.note(config);
      }
    }
    if (floors.isEmpty() && elections.isEmpty()) {
      return decision;
    }
    MetadataDraft draft = context.draft(after(image, decision.records()));
    boolean done =
        review(draft, floors, context.index().withEligible())
            && review(draft, elections, context.index().leaderless());
    if (!done) {
      // Safe before the configs change, too: fewer may lead, or nobody who may not.
      return Decision.first(draft.records(), redo);
    }
    List<ApiMessageAndVersion> records = new ArrayList<>(decision.records());
    records.addAll(draft.records());
    return new Decision<>(records, decision.response(), null);
  }

  private static boolean review(
      MetadataDraft draft, Topics topics, NavigableSet<PartitionKey> partitions) {
    if (topics.isEmpty()) {
      return true;
    }
    for (PartitionKey key : partitions) {
      TopicImage topic = draft.image().topics().getTopic(key.topicId());
      if (topic != null && topics.contains(topic.name())) {
        if (draft.isFull()) {
          return false;
        }
        draft.change(key).reviewEligible();
      }
    }
    return true;
  }

  private static MetadataImage after(MetadataImage image, List<ApiMessageAndVersion> records) {
    MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
    records.forEach(record -> delta.replay(record.message()));
    return delta.apply(image.provenance());
  }

  /** The topics whose value of one key may change. */
  private static final class Topics {
    private final String key;
    private final Set<String> names = new HashSet<>();
    private boolean all;

    Topics(String key) {
      this.key = key;
    }

    void note(ConfigRecord config) {
      if (!config.name().equals(key)) {
        return;
      }
      ConfigResource.Type type = ConfigResource.Type.forId(config.resourceType());
      if (type == ConfigResource.Type.TOPIC) {
        names.add(config.resourceName());
      } else if (type == ConfigResource.Type.BROKER) {
        all = true;
      }
    }

    boolean isEmpty() {
      return !all && names.isEmpty();
    }

    boolean contains(String topic) {
      return all || names.contains(topic);
    }
  }
}
