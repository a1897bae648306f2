package dev.tidemark.broker;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;

/** A consumer's Fetch request, put together step by step; at first one that does not wait. */
final class SimFetch {
  private static final short LAST_VERSION_WITH_NAMES = 12;

  private final FetchRequestData data =
      new FetchRequestData().setReplicaId(-1).setMaxBytes(1 << 20).setMinBytes(1).setMaxWaitMs(0);

  /** Of partition 0 of a topic, from {@code offset} on. */
  static SimFetch of(String topic, long offset) {
    return new SimFetch().and(topic, 0, offset);
  }

  /** Of another partition too. */
  SimFetch and(String topic, int partition, long offset) {
    data.topics()
        .add(
            new FetchTopic()
                .setTopic(topic)
                .setPartitions(
                    List.of(
                        new FetchPartition()
                            .setPartition(partition)
                            .setFetchOffset(offset)
                            .setPartitionMaxBytes(1 << 20))));
    return this;
  }

  /** Waits until there are so many bytes, or so long. */
  SimFetch waitFor(int minBytes, int maxWaitMs) {
    data.setMinBytes(minBytes).setMaxWaitMs(maxWaitMs);
    return this;
  }

  SimFetch readCommitted() {
    data.setIsolationLevel((byte) 1);
    return this;
  }

  FetchRequest request() {
    return new FetchRequest(data, LAST_VERSION_WITH_NAMES);
  }

  /** The parts of an answer, in their order. */
  static List<PartitionData> parts(FetchResponse answer) {
    return answer.data().responses().stream()
        .flatMap(topic -> topic.partitions().stream())
        .toList();
  }

  /** The offsets of the records in a part of an answer. */
  static List<Long> offsets(PartitionData part) {
    List<Long> offsets = new ArrayList<>();
    for (Record record : FetchResponse.recordsOrFail(part).records()) {
      offsets.add(record.offset());
    }
    return offsets;
  }
}
