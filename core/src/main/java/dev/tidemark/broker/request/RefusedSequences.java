package dev.tidemark.broker.request;

import dev.tidemark.log.PartitionLog;
import dev.tidemark.protocol.BatchHeader;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.internals.Topic;
import org.jspecify.annotations.Nullable;

/**
 * The batches of idempotent producers (KIP-98) that were refused here and have not come again. A
 * log takes any sequence of a producer that it does not know, for it may have forgotten it. Where a
 * producer's first batches are on their way and only the first of them is refused, because the
 * in-sync replicas were too few then or the leader was not yet elected, the next one would be taken
 * for the beginning, and the first one would be written after it. So that one is refused as well;
 * producers send both again, in order.
 *
 * <p>Keeps the newest {@value #CAPACITY} and forgets older ones, as Kafka's brokers forget all.
 * Belongs to one shard.
 */
final class RefusedSequences {
  static final int CAPACITY = 1_000;

  private final Map<Key, Integer> lowest = new LinkedHashMap<>();
  private final BatchHeader header = new BatchHeader();

  /**
   * Who wrote where.
   *
   * @param topic a name or an id, as the producer's requests have it
   */
  private record Key(Object topic, int partition, long producerId, short epoch) {}

  /** A batch was not appended, and may come again. */
  void refused(Object topic, int partition, @Nullable ByteBuffer records, int at) {
    if (!isOfProducer(records, at) || (topic instanceof String name && !Topic.isValid(name))) {
      return; // what can be no topic is not kept: its name may be long
    }
    lowest.merge(key(topic, partition), header.baseSequence(), Math::min);
    if (lowest.size() > CAPACITY) {
      lowest.remove(lowest.keySet().iterator().next());
    }
  }

  /** True if the log would begin with this batch, though an earlier one was refused. */
  boolean lacksEarlier(
      Object topic, int partition, @Nullable ByteBuffer records, int at, PartitionLog log) {
    if (lowest.isEmpty() || !isOfProducer(records, at) || header.baseSequence() == 0) {
      return false;
    }
    Integer refused = lowest.get(key(topic, partition));
    return refused != null
        && refused < header.baseSequence()
        && log.producers().entry(header.producerId()) == null;
  }

  /** A batch was appended, or had been before. */
  void appended(Object topic, int partition, @Nullable ByteBuffer records, int at) {
    if (!lowest.isEmpty() && isOfProducer(records, at)) {
      lowest.remove(key(topic, partition));
    }
  }

  int size() {
    return lowest.size();
  }

  private boolean isOfProducer(@Nullable ByteBuffer records, int at) {
    return records != null
        && records.limit() - at >= BatchHeader.SIZE
        && header.wrap(records, at).magic() == BatchHeader.MAGIC_V2
        && header.hasProducerId();
  }

  private Key key(Object topic, int partition) {
    return new Key(topic, partition, header.producerId(), header.producerEpoch());
  }
}
