package dev.tidemark.group;

import java.util.function.Supplier;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime.CoordinatorState;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;

/** Takes the coordinator's metrics about its threads, of which it has none here. */
final class NoRuntimeMetrics implements CoordinatorRuntimeMetrics {
  @Override
  public void recordPartitionStateChange(CoordinatorState oldState, CoordinatorState newState) {}

  @Override
  public void recordPartitionLoadSensor(long startTimeMs, long endTimeMs) {}

  @Override
  public void recordEventQueueTime(long durationMs) {}

  @Override
  public void recordEventProcessingTime(long durationMs) {}

  @Override
  public void recordEventPurgatoryTime(long durationMs) {}

  @Override
  public void recordLingerTime(long durationMs) {}

  @Override
  public void recordFlushTime(long durationMs) {}

  @Override
  public void recordThreadIdleTime(double durationMs) {}

  @Override
  public void recordBackgroundQueueTime(long durationMs) {}

  @Override
  public void recordBackgroundProcessingTime(long durationMs) {}

  @Override
  public void recordBackgroundThreadBusyTime(double durationMs) {}

  @Override
  public void registerEventQueueSizeGauge(Supplier<Integer> sizeSupplier) {}

  @Override
  public void registerBufferCacheSizeGauge(Supplier<Long> sizeSupplier) {}

  @Override
  public void recordBufferCacheDiscarded() {}

  @Override
  public void close() {}
}
