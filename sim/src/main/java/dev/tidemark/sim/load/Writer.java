package dev.tidemark.sim.load;

import dev.tidemark.sim.SimulatedCluster;
import dev.tidemark.sim.check.PartitionHistory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/**
 * An idempotent producer with acks=all that writes numbered records to all partitions of a topic,
 * one batch at a time to each, and repeats a batch until it is acknowledged.
 */
public final class Writer {
  private static final int PRODUCE_VERSION = 9;
  private static final int INIT_VERSION = 4;
  private static final int PRODUCE_WAIT_MS = 2_000;
  private static final int MAX_RECORDS = 3;
  private static final int MAX_VALUE_BYTES = 200;
  private static final int MAX_PAUSE_MS = 20;

  /** After these the same batch may be accepted later; all others mean that a promise is broken. */
  private static final Set<Errors> RETRIABLE =
      Set.of(
          Errors.NOT_LEADER_OR_FOLLOWER,
          Errors.NOT_ENOUGH_REPLICAS,
          Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
          Errors.REQUEST_TIMED_OUT,
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          Errors.LEADER_NOT_AVAILABLE,
          Errors.BROKER_NOT_AVAILABLE,
          Errors.KAFKA_STORAGE_ERROR);

  private final ClusterClient client;
  private final List<PartitionHistory> histories;
  private final List<Lane> lanes = new ArrayList<>();
  private long producerId;
  private short producerEpoch;
  private long number;
  private boolean stopping;

  /**
   * Starts to write.
   *
   * @param name without a dash; the first part of all keys
   * @param histories of the partitions, in their order
   */
  public Writer(
      SimulatedCluster cluster, String name, String topic, List<PartitionHistory> histories) {
    this.client = new ClusterClient(cluster, name, topic);
    this.histories = histories;
    for (int i = 0; i < histories.size(); i++) {
      lanes.add(new Lane(i));
    }
    client.execute(this::askForId);
  }

  private void askForId() {
    InitProducerIdRequestData request =
        new InitProducerIdRequestData()
            .setTransactionalId(null)
            .setTransactionTimeoutMs(Integer.MAX_VALUE)
            .setProducerId(-1)
            .setProducerEpoch((short) -1);
    client.call(client.anyNode(), ApiKeys.INIT_PRODUCER_ID, INIT_VERSION, request, this::onId);
  }

  private void onId(@Nullable ApiMessage answer) {
    if (!(answer instanceof InitProducerIdResponseData given)
        || given.errorCode() != Errors.NONE.code()) {
      client.after(ClusterClient.RETRY_MS, this::askForId);
      return;
    }
    producerId = given.producerId();
    producerEpoch = given.producerEpoch();
    lanes.forEach(Lane::next);
  }

  /** Writes nothing new any more. */
  public void stop() {
    stopping = true;
  }

  /** Whether all that it wrote is acknowledged, after {@link #stop}. */
  public boolean isIdle() {
    return lanes.stream().allMatch(lane -> lane.idle);
  }

  /** What goes to one partition. */
  private final class Lane {
    private final int partition;
    private List<String> keys = List.of();
    private @Nullable MemoryRecords batch;
    private int sequence;
    private boolean idle;

    Lane(int partition) {
      this.partition = partition;
    }

    void next() {
      if (stopping) {
        idle = true;
        return;
      }
      int count = 1 + client.randomness().nextInt(MAX_RECORDS);
      List<String> written = new ArrayList<>();
      SimpleRecord[] records = new SimpleRecord[count];
      for (int i = 0; i < count; i++) {
        String key = client.name() + "-" + number++;
        byte[] value = new byte[client.randomness().nextInt(MAX_VALUE_BYTES)];
        written.add(key);
        records[i] = new SimpleRecord(client.wallMs(), key.getBytes(StandardCharsets.UTF_8), value);
      }
      keys = written;
      batch =
          MemoryRecords.withIdempotentRecords(
              Compression.NONE, producerId, producerEpoch, sequence, records);
      sequence += count;
      send();
    }

    private void send() {
      Integer leader = client.leaderOf(partition);
      if (leader == null) {
        retry();
        return;
      }
      ProduceRequestData request =
          new ProduceRequestData().setAcks((short) -1).setTimeoutMs(PRODUCE_WAIT_MS);
      request
          .topicData()
          .add(
              new ProduceRequestData.TopicProduceData()
                  .setName(client.topic())
                  .setPartitionData(
                      List.of(
                          new ProduceRequestData.PartitionProduceData()
                              .setIndex(partition)
                              .setRecords(batch))));
      client.call(leader, ApiKeys.PRODUCE, PRODUCE_VERSION, request, this::onAnswer);
    }

    private void retry() {
      client.refresh();
      client.after(ClusterClient.RETRY_MS, this::send);
    }

    private void onAnswer(@Nullable ApiMessage answer) {
      if (answer == null) {
        retry();
        return;
      }
      var told =
          ((ProduceResponseData) answer).responses().iterator().next().partitionResponses().get(0);
      Errors error = Errors.forCode(told.errorCode());
      if (error == Errors.NONE) {
        for (int i = 0; i < keys.size(); i++) {
          histories.get(partition).acknowledged(told.baseOffset() + i, keys.get(i));
        }
        client.after(1 + client.randomness().nextInt(MAX_PAUSE_MS), this::next);
      } else if (RETRIABLE.contains(error)) {
        retry();
      } else {
        histories.get(partition).violation("%s was refused with %s".formatted(keys.get(0), error));
        idle = true;
      }
    }
  }
}
