package org.apache.kafka.coordinator.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEventProcessor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.image.TopicsDelta;
import org.apache.kafka.server.share.persister.Persister;
import org.apache.kafka.server.util.PartitionMetadataClient;
import org.apache.kafka.server.util.timer.Timer;
import org.jspecify.annotations.NullMarked;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's group coordinator with an event processor, a timer and an executor of ours. It stands in
 * Kafka's package because the constructor that accepts them is visible only there; nothing else of
 * ours may.
 */
@NullMarked
public final class ShardGroupCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(ShardGroupCoordinator.class);

  private final GroupCoordinatorService service;
  private final CoordinatorRuntime<GroupCoordinatorShard, CoordinatorRecord> runtime;

  private ShardGroupCoordinator(
      GroupCoordinatorService service,
      CoordinatorRuntime<GroupCoordinatorShard, CoordinatorRecord> runtime) {
    this.service = service;
    this.runtime = runtime;
  }

  /** What the coordinator runs on. */
  public record Environment(
      Time time,
      Timer timer,
      CoordinatorEventProcessor processor,
      ExecutorService executor,
      CoordinatorRuntimeMetrics runtimeMetrics,
      GroupCoordinatorMetrics metrics) {}

  /** What the coordinator reaches through. */
  public record Ports(
      PartitionWriter writer,
      CoordinatorLoader<CoordinatorRecord> loader,
      Persister persister,
      PartitionMetadataClient partitionMetadata) {}

  /** A coordinator that is not started. */
  public static ShardGroupCoordinator create(
      int nodeId,
      GroupCoordinatorConfig config,
      GroupConfigManager groupConfigs,
      Environment environment,
      Ports ports) {
    String prefix = "[GroupCoordinator id=" + nodeId + "] ";
    LogContext logContext = new LogContext(prefix);
    CoordinatorRuntime<GroupCoordinatorShard, CoordinatorRecord> runtime =
        new CoordinatorRuntime.Builder<GroupCoordinatorShard, CoordinatorRecord>()
            .withTime(environment.time())
            .withTimer(environment.timer())
            .withLogPrefix(prefix)
            .withLogContext(logContext)
            .withEventProcessor(environment.processor())
            .withPartitionWriter(ports.writer())
            .withLoader(ports.loader())
            .withCoordinatorShardBuilderSupplier(
                () ->
                    new GroupCoordinatorShard.Builder(config, groupConfigs)
                        .withAuthorizerPlugin(Optional.empty()))
            .withWriteTimeout(Duration.ofMillis(config.offsetCommitTimeoutMs()))
            .withCoordinatorRuntimeMetrics(environment.runtimeMetrics())
            .withCoordinatorMetrics(environment.metrics())
            .withSerializer(new GroupCoordinatorRecordSerde())
            .withCompression(Compression.of(config.offsetTopicCompressionType()).build())
            .withAppendLingerMs(config.appendLingerMs())
            .withExecutorService(environment.executor())
            .withCachedBufferMaxBytesSupplier(config::cachedBufferMaxBytes)
            .build();
    GroupCoordinatorService service =
        new GroupCoordinatorService(
            logContext,
            config,
            runtime,
            environment.metrics(),
            groupConfigs,
            ports.persister(),
            environment.timer(),
            ports.partitionMetadata(),
            Optional.empty(),
            environment.time());
    return new ShardGroupCoordinator(service, runtime);
  }

  /** The coordinator, for all but {@link #onMetadataUpdate}. */
  public GroupCoordinator coordinator() {
    return service;
  }

  /**
   * Tells the coordinator of new metadata. Kafka's own method waits until the offsets of deleted
   * topics are gone, which happens on this very thread; here that comes later.
   */
  public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
    TopicsDelta topics = delta.topicsDelta();
    if (topics == null || topics.deletedTopicIds().isEmpty()) {
      service.onMetadataUpdate(delta, image);
      return;
    }
    service.onMetadataUpdate(new MetadataDelta.Builder().setImage(image).build(), image);
    runtime.onMetadataUpdate(
        new KRaftCoordinatorMetadataDelta(delta), new KRaftCoordinatorMetadataImage(image));
    deleteOffsets(topics);
  }

  private void deleteOffsets(TopicsDelta topics) {
    List<GroupCoordinatorShard.DeletedTopic> deleted = new ArrayList<>();
    for (Uuid id : new TreeSet<>(topics.deletedTopicIds())) {
      TopicImage topic = topics.image().getTopic(id);
      if (topic != null) {
        deleted.add(new GroupCoordinatorShard.DeletedTopic(id, topic.name()));
      }
    }
    List<CompletableFuture<Void>> deletions =
        runtime.scheduleWriteAllOperation(
            "on-topics-deleted", shard -> shard.onTopicsDeleted(deleted));
    for (CompletableFuture<Void> deletion : deletions) {
      var unused =
          deletion.whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  LOG.warn(
                      "Offsets of deleted topics {} stay until they expire: {}",
                      deleted,
                      failure.getMessage());
                }
              });
    }
  }
}
