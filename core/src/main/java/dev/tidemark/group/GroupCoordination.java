package dev.tidemark.group;

import dev.tidemark.env.Shard;
import dev.tidemark.metadata.MetadataListener;
import dev.tidemark.metadata.MetadataView;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.apache.kafka.coordinator.group.ShardGroupCoordinator;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.image.ConfigurationsDelta;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.image.TopicsDelta;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.share.persister.NoOpStatePersister;
import org.apache.kafka.server.util.PartitionMetadataClient;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's group coordinator on the data shard. It is made when the first request needs it: its
 * classes cost a good part of a second and of the memory of an idle broker. From then on it leads
 * the groups of each offsets partition that this broker leads.
 */
public final class GroupCoordination implements MetadataListener {
  private static final String OFFSETS = Topic.GROUP_METADATA_TOPIC_NAME;

  private final OffsetsPartitions partitions;
  private final MetadataView view;
  private final Shard shard;
  private final int nodeId;
  private final Map<String, String> properties;
  private final ToIntFunction<String> maxMessageBytes;
  private final Map<Integer, Integer> elected = new TreeMap<>();
  private @Nullable ShardGroupCoordinator coordinator;
  private int offsetsTopicPartitions; // of the configuration, while the topic is not there
  private boolean stopped;

  /**
   * @param properties the texts of server.properties, which were checked
   * @param maxMessageBytes max.message.bytes of a topic, by its name
   */
  public GroupCoordination(
      OffsetsPartitions partitions,
      MetadataView view,
      Shard shard,
      int nodeId,
      Map<String, String> properties,
      ToIntFunction<String> maxMessageBytes) {
    this.partitions = partitions;
    this.view = view;
    this.shard = shard;
    this.nodeId = nodeId;
    this.properties = new TreeMap<>(properties);
    this.maxMessageBytes = maxMessageBytes;
  }

  /** The coordinator; made by the first call. */
  public GroupCoordinator coordinator() {
    ShardGroupCoordinator made = coordinator;
    if (made == null) {
      if (stopped) {
        throw new IllegalStateException("The group coordinator is stopped");
      }
      made = create();
      coordinator = made;
      start(made.coordinator());
    }
    return made.coordinator();
  }

  /**
   * Refuses what members tell of themselves when it cannot be stored: it would be kept in memory
   * until then.
   *
   * @throws RecordTooLargeException when the request is larger than max.message.bytes of the topic
   */
  public void checkStorable(int requestBytes) {
    int maxBytes = maxMessageBytes.applyAsInt(OFFSETS);
    if (requestBytes > maxBytes) {
      throw new RecordTooLargeException(
          "A request of %d bytes cannot be stored in %s, whose max.message.bytes is %d"
              .formatted(requestBytes, OFFSETS, maxBytes));
    }
  }

  /** Begins to load groups ahead of the first request, where there are some. */
  public void warmUp() {
    if (view.image().topics().getTopic(OFFSETS) != null) {
      coordinator();
    }
  }

  /** Ends all waiting group requests; nothing is accepted afterwards. */
  public void stop() {
    stopped = true;
    if (coordinator != null) {
      coordinator.coordinator().shutdown();
    }
  }

  /**
   * A partition's log failed: groups in it are led again once it has a new leader epoch, from what
   * the log holds then.
   */
  public void onOffline(String topic, int partition) {
    ShardGroupCoordinator current = coordinator;
    if (current != null && !stopped && topic.equals(OFFSETS) && elected.remove(partition) != null) {
      current.coordinator().onResignation(partition, OptionalInt.empty());
    }
  }

  @Override
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    ShardGroupCoordinator current = coordinator;
    if (current == null || stopped) {
      return;
    }
    GroupCoordinator made = current.coordinator();
    TopicsDelta topics = delta.topicsDelta();
    if (topics != null) {
      followLeadership(made, image);
    }
    ConfigurationsDelta configs = delta.configsDelta();
    if (configs != null) {
      configs.changes().keySet().forEach(resource -> followConfig(made, image, resource));
    }
    current.onMetadataUpdate(delta, image);
  }

  private ShardGroupCoordinator create() {
    Time time = new ShardTime(shard.clock());
    GroupCoordinatorConfig config =
        GroupCoordinatorConfig.fromProps(only(GroupCoordinatorConfig.CONFIG_DEF));
    offsetsTopicPartitions = config.offsetsTopicPartitions();
    GroupConfigManager groupConfigs =
        new GroupConfigManager(
            config, ShareGroupConfig.fromProps(only(ShareGroupConfig.CONFIG_DEF)));
    ShardGroupCoordinator.Environment environment =
        new ShardGroupCoordinator.Environment(
            time,
            new ShardTimer(shard),
            new ShardEvents(shard),
            new ShardExecutor(shard),
            new NoRuntimeMetrics(),
            new GroupCoordinatorMetrics(
                new com.yammer.metrics.core.MetricsRegistry(), new Metrics(time)));
    ShardGroupCoordinator.Ports ports =
        new ShardGroupCoordinator.Ports(
            new OffsetsWriter(partitions, maxMessageBytes),
            new OffsetsLoader(partitions, shard, new GroupCoordinatorRecordSerde()),
            new NoOpStatePersister(),
            noPartitionMetadata());
    return ShardGroupCoordinator.create(nodeId, config, groupConfigs, environment, ports);
  }

  /** Only share groups ask for the ends of partitions. */
  private static PartitionMetadataClient noPartitionMetadata() {
    return new PartitionMetadataClient() {
      @Override
      public Map<
              org.apache.kafka.common.TopicPartition,
              CompletableFuture<PartitionMetadataClient.OffsetResponse>>
          listLatestOffsets(java.util.Set<org.apache.kafka.common.TopicPartition> asked) {
        return Map.of();
      }

      @Override
      public void close() {}
    };
  }

  private Map<String, String> only(ConfigDef definition) {
    Map<String, String> some = new HashMap<>(properties);
    some.keySet().retainAll(definition.names());
    return some;
  }

  private void start(GroupCoordinator made) {
    MetadataImage image = view.image();
    TopicImage topic = image.topics().getTopic(OFFSETS);
    made.startup(() -> topic == null ? offsetsTopicPartitions : topic.partitions().size());
    image
        .configs()
        .resourceData()
        .keySet()
        .forEach(resource -> followConfig(made, image, resource));
    made.onMetadataUpdate(new MetadataDelta.Builder().setImage(image).build(), image);
    followLeadership(made, image);
  }

  private static void followConfig(
      GroupCoordinator made, MetadataImage image, ConfigResource resource) {
    if (resource.type() == ConfigResource.Type.GROUP) {
      Properties configs = new Properties();
      image
          .configs()
          .configMapForResource(resource)
          .forEach(
              (key, value) -> configs.setProperty(key, value.trim())); // as their check read them
      made.updateGroupConfig(resource.name(), configs);
    }
  }

  private void followLeadership(GroupCoordinator made, MetadataImage image) {
    TopicImage topic = image.topics().getTopic(OFFSETS);
    Map<Integer, Integer> led = new TreeMap<>();
    if (topic != null) {
      topic.partitions().forEach((id, partition) -> addIfLed(led, id, partition));
    }
    for (int id : elected.keySet().stream().filter(id -> !led.containsKey(id)).toList()) {
      elected.remove(id);
      made.onResignation(id, OptionalInt.empty());
    }
    led.forEach(
        (id, epoch) -> {
          if (!epoch.equals(elected.put(id, epoch))) {
            made.onElection(id, epoch);
          }
        });
  }

  private void addIfLed(Map<Integer, Integer> led, int id, PartitionRegistration partition) {
    if (partition.leader == nodeId) {
      led.put(id, partition.leaderEpoch);
    }
  }
}
