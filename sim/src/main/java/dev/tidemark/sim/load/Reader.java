package dev.tidemark.sim.load;

import dev.tidemark.sim.SimulatedCluster;
import dev.tidemark.sim.check.PartitionHistory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.Records;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of all partitions of a topic, from their beginnings on, that asks any node now and
 * then instead of the leader, and reads old records again, which must be the same as before.
 */
public final class Reader {
  private static final int FETCH_VERSION = 12;
  private static final int MAX_WAIT_MS = 100;
  private static final int MAX_BYTES = 1 << 16;
  private static final int PERCENT_AGAIN = 2;
  private static final int PERCENT_ELSEWHERE = 5;

  /** After these it asks again; all others mean that a promise is broken. */
  private static final Set<Errors> RETRIABLE =
      Set.of(
          Errors.NOT_LEADER_OR_FOLLOWER,
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          Errors.LEADER_NOT_AVAILABLE,
          Errors.OFFSET_NOT_AVAILABLE,
          Errors.REPLICA_NOT_AVAILABLE,
          Errors.KAFKA_STORAGE_ERROR);

  private final ClusterClient client;
  private final List<PartitionHistory> histories;
  private final List<Lane> lanes = new ArrayList<>();

  /**
   * Starts to read.
   *
   * @param histories of the partitions, in their order
   */
  public Reader(
      SimulatedCluster cluster, String name, String topic, List<PartitionHistory> histories) {
    this.client = new ClusterClient(cluster, name, topic);
    this.histories = histories;
    for (int i = 0; i < histories.size(); i++) {
      lanes.add(new Lane(i));
    }
    client.execute(() -> lanes.forEach(Lane::fetch));
  }

  /** Up to where it has read a partition, exclusive. */
  public long position(int partition) {
    return lanes.get(partition).furthest;
  }

  /** What is read of one partition. */
  private final class Lane {
    private final int partition;
    private long position;
    private long furthest;

    Lane(int partition) {
      this.partition = partition;
    }

    private void fetch() {
      Integer leader = client.leaderOf(partition);
      if (leader == null) {
        again();
        return;
      }
      if (furthest > 0 && client.randomness().chance(PERCENT_AGAIN)) {
        position = client.randomness().nextInt((int) furthest);
      }
      int asked = client.randomness().chance(PERCENT_ELSEWHERE) ? client.anyNode() : leader;
      client.call(asked, ApiKeys.FETCH, FETCH_VERSION, request(), this::onAnswer);
    }

    private FetchRequestData request() {
      return new FetchRequestData()
          .setReplicaState(new FetchRequestData.ReplicaState().setReplicaId(-1))
          .setReplicaId(-1)
          .setMaxWaitMs(MAX_WAIT_MS)
          .setMinBytes(1)
          .setMaxBytes(MAX_BYTES)
          .setTopics(
              List.of(
                  new FetchRequestData.FetchTopic()
                      .setTopic(client.topic())
                      .setPartitions(
                          List.of(
                              new FetchRequestData.FetchPartition()
                                  .setPartition(partition)
                                  .setFetchOffset(position)
                                  .setPartitionMaxBytes(MAX_BYTES)))));
    }

    private void again() {
      client.refresh();
      client.after(ClusterClient.RETRY_MS, this::fetch);
    }

    private void onAnswer(@Nullable ApiMessage answer) {
      if (answer == null) {
        again();
        return;
      }
      FetchResponseData told = (FetchResponseData) answer;
      if (told.responses().isEmpty()) {
        again();
        return;
      }
      FetchResponseData.PartitionData data = told.responses().get(0).partitions().get(0);
      Errors error = Errors.forCode(data.errorCode());
      if (error == Errors.NONE) {
        take(data);
        client.after(1, this::fetch);
      } else {
        if (!RETRIABLE.contains(error)) {
          histories
              .get(partition)
              .violation("a fetch at %d was refused with %s".formatted(position, error));
        }
        again();
      }
    }

    private void take(FetchResponseData.PartitionData data) {
      if (!(data.records() instanceof Records records)) {
        return;
      }
      for (RecordBatch batch : records.batches()) {
        for (Record record : batch) {
          if (record.offset() >= position) {
            take(record, data.highWatermark());
          }
        }
      }
    }

    private void take(Record record, long highWatermark) {
      PartitionHistory history = histories.get(partition);
      if (record.offset() != position) {
        history.violation("a reader at %d was given %d next".formatted(position, record.offset()));
      }
      if (record.offset() >= highWatermark) {
        history.violation(
            "a reader was given %d, and the high watermark is %d"
                .formatted(record.offset(), highWatermark));
      }
      history.seen(record.offset(), StandardCharsets.UTF_8.decode(record.key()).toString());
      position = record.offset() + 1;
      furthest = Math.max(furthest, position);
    }
  }
}
