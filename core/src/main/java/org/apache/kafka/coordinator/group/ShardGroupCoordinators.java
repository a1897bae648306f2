package org.apache.kafka.coordinator.group;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorEventProcessor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.server.share.persister.Persister;
import org.apache.kafka.server.util.PartitionMetadataClient;
import org.apache.kafka.server.util.timer.Timer;
import org.jspecify.annotations.NullMarked;

/**
 * Makes Kafka's group coordinator with an event processor, a timer and an executor of ours. It
 * stands in Kafka's package because the constructor that accepts them is visible only there;
 * nothing else of ours may.
 */
@NullMarked
public final class ShardGroupCoordinators {
  private ShardGroupCoordinators() {}

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
  public static GroupCoordinator create(
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
    return new GroupCoordinatorService(
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
  }
}
