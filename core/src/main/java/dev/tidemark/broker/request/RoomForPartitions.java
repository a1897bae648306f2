package dev.tidemark.broker.request;

import java.util.function.Consumer;
import org.apache.kafka.common.errors.KafkaStorageException;

/**
 * Whether the data folders have room for new partitions. Asked before the controller decides, for a
 * topic that is committed and cannot be stored would be there and serve nobody.
 */
@FunctionalInterface
public interface RoomForPartitions {
  /** Calls one of the two on this shard, later: the file systems are asked in the background. */
  void check(Runnable ifSo, Consumer<KafkaStorageException> ifNot);
}
