package dev.tidemark.sim;

import dev.tidemark.log.TailCopy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/**
 * A topic {@code events} of one partition on whole brokers, 1 to n, that broker 1 leads at first,
 * and a controller of its own: what passes between two brokers is replication and nothing else, so
 * that it can be held back and let go frame by frame.
 */
final class ReplicaStage {
  static final String TOPIC = "events";
  static final short ALL = -1;
  static final short LEADER = 1;
  private static final String SEGMENT = "00000000000000000000.log";

  /** Enough for what a frame sets off, less than what any timer of a broker waits. */
  private static final long SETTLE_MS = 5;

  /** A fetch waits at the leader for longer than any step takes. */
  static final long FETCH_WAIT_MS = 5_000;

  private static final int WAIT_MS = 30_000;
  private static final int FETCH_VERSION = 12;
  private static final int PRODUCE_VERSION = 9;
  private static final int LIST_OFFSETS_VERSION = 9;

  final SimulatedCluster cluster;
  private final int brokers;

  /** A record as it is stored: leader epoch and value. */
  record Stored(int epoch, String value) {
    @Override
    public String toString() {
      return "(%d,%s)".formatted(epoch, value);
    }
  }

  /** What a consumer is given. */
  record Read(Errors error, long highWatermark, List<String> values, int bytes) {}

  private ReplicaStage(long seed, int brokers, Map<String, String> properties) throws IOException {
    this.brokers = brokers;
    List<String> roles = new ArrayList<>(Collections.nCopies(brokers, "broker"));
    roles.add("controller");
    Map<String, String> all = new TreeMap<>(properties);
    all.putIfAbsent("replica.fetch.wait.max.ms", String.valueOf(FETCH_WAIT_MS));
    this.cluster = new SimulatedCluster(seed, line -> {}).formatted(roles, all).startAll();
  }

  /** A stage on which all replicas are in sync and nothing is written yet. */
  static ReplicaStage of(long seed, int brokers, int minIsr, Map<String, String> properties)
      throws IOException {
    ReplicaStage stage = new ReplicaStage(seed, brokers, properties);
    stage.create(minIsr);
    stage.awaitIsr(IntStream.rangeClosed(1, brokers).boxed().toList());
    return stage;
  }

  static ReplicaStage of(int brokers, int minIsr) throws IOException {
    return of(1, brokers, minIsr, Map.of());
  }

  private void create(int minIsr) {
    CreateTopicsRequestData.CreatableTopic topic =
        new CreateTopicsRequestData.CreatableTopic()
            .setName(TOPIC)
            .setNumPartitions(-1)
            .setReplicationFactor((short) -1);
    topic
        .assignments()
        .add(
            new CreateTopicsRequestData.CreatableReplicaAssignment()
                .setPartitionIndex(0)
                .setBrokerIds(IntStream.rangeClosed(1, brokers).boxed().toList()));
    topic
        .configs()
        .add(
            new CreateTopicsRequestData.CreatableTopicConfig()
                .setName("min.insync.replicas")
                .setValue(String.valueOf(minIsr)));
    CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(WAIT_MS);
    request.topics().add(topic);
    Errors error =
        Errors.forCode(
            cluster
                .call(1, ApiKeys.CREATE_TOPICS, 7, request, CreateTopicsResponseData.class)
                .topics()
                .iterator()
                .next()
                .errorCode());
    if (error != Errors.NONE) {
      throw new AssertionError("the topic was not created: " + error);
    }
  }

  // --- what passes between brokers ---

  static String host(int id) {
    return "n" + id;
  }

  /** The controller's node. */
  int controller() {
    return brokers + 1;
  }

  /**
   * From now on each frame between a leader and a follower waits to be let go. Where they are in
   * touch, the follower's fetch waits at the leader.
   */
  void hold(int leader, int follower) {
    cluster.network.step(host(leader), host(follower));
    cluster.network.step(host(follower), host(leader));
    settle();
    while (held(leader, follower) + held(follower, leader) > 0) {
      cluster.network.passFrame(host(leader), host(follower));
      cluster.network.passFrame(host(follower), host(leader));
      settle();
    }
  }

  private long held(int from, int to) {
    return cluster.network.heldFrames(host(from), host(to));
  }

  /** Frames between two brokers pass again, beginning with those that were held back. */
  void letGo(int one, int other) {
    cluster.network.healOneWay(host(one), host(other));
    cluster.network.healOneWay(host(other), host(one));
    settle();
  }

  /** Lets the next fetch of a follower arrive at the leader. */
  void passFetch(int follower, int leader) {
    pass(follower, leader);
  }

  /** Lets the leader's next answer arrive. */
  void passAnswer(int leader, int follower) {
    pass(leader, follower);
  }

  private void pass(int from, int to) {
    cluster.await("a frame from " + from + " to " + to, () -> held(from, to) > 0);
    cluster.network.passFrame(host(from), host(to));
    settle();
  }

  /** Lets happen what a frame sets off. */
  void settle() {
    cluster.scheduler.runForMs(SETTLE_MS);
  }

  /** The process ends as by kill -9, and what it had sent is lost on the way. */
  void kill(int id) {
    cluster.node(id).kill();
    settle();
    for (int other = 1; other <= brokers; other++) {
      cluster.network.loseHeld(host(id), host(other));
      cluster.network.loseHeld(host(other), host(id));
    }
  }

  // --- clients ---

  /** A write that was sent. */
  record Write(SimulatedCluster.Sent sent) {
    boolean isPending() {
      return sent.isPending();
    }

    /** It may also have ended without an answer. */
    boolean isAnswered() {
      return sent.answer() != null;
    }

    Errors error() {
      return Errors.forCode(partition().errorCode());
    }

    long offset() {
      return partition().baseOffset();
    }

    private ProduceResponseData.PartitionProduceResponse partition() {
      ProduceResponseData data = (ProduceResponseData) sent.answer();
      if (data == null) {
        throw new AssertionError("the write has no answer");
      }
      return data.responses().iterator().next().partitionResponses().get(0);
    }
  }

  /** Sends one batch with a record for each value. */
  Write produce(int broker, short acks, String... values) {
    SimpleRecord[] records = new SimpleRecord[values.length];
    for (int i = 0; i < values.length; i++) {
      records[i] = new SimpleRecord(nowMs(), values[i].getBytes(StandardCharsets.UTF_8));
    }
    return produce(broker, acks, MemoryRecords.withRecords(Compression.NONE, records));
  }

  /** Sends a batch. */
  Write produce(int broker, short acks, MemoryRecords records) {
    ProduceRequestData data = new ProduceRequestData().setAcks(acks).setTimeoutMs(WAIT_MS);
    data.topicData()
        .add(
            new ProduceRequestData.TopicProduceData()
                .setName(TOPIC)
                .setPartitionData(
                    List.of(
                        new ProduceRequestData.PartitionProduceData()
                            .setIndex(0)
                            .setRecords(records))));
    Write write = new Write(send(broker, ApiKeys.PRODUCE, PRODUCE_VERSION, data));
    settle();
    return write;
  }

  long nowMs() {
    return cluster.node(1).machine().clock().wallMs();
  }

  SimulatedCluster.Sent send(
      int node, ApiKeys api, int version, org.apache.kafka.common.protocol.ApiMessage request) {
    return cluster.send(node, ClusterNode.PORT, api, version, request);
  }

  /** Reads from an offset what a read_uncommitted consumer is given at once. */
  Read read(int broker, long offset) {
    return read(broker, offset, 1 << 20, -1);
  }

  /** The same with a bound, and with the leader epoch that the consumer knows; -1 for none. */
  Read read(int broker, long offset, int maxBytes, int leaderEpoch) {
    FetchRequestData request =
        new FetchRequestData()
            .setReplicaState(new FetchRequestData.ReplicaState().setReplicaId(-1))
            .setReplicaId(-1)
            .setMaxWaitMs(0)
            .setMinBytes(0)
            .setMaxBytes(maxBytes)
            .setTopics(
                List.of(
                    new FetchRequestData.FetchTopic()
                        .setTopic(TOPIC)
                        .setPartitions(
                            List.of(
                                new FetchRequestData.FetchPartition()
                                    .setPartition(0)
                                    .setCurrentLeaderEpoch(leaderEpoch)
                                    .setFetchOffset(offset)
                                    .setPartitionMaxBytes(maxBytes)))));
    FetchResponseData.PartitionData answer =
        cluster
            .call(broker, ApiKeys.FETCH, FETCH_VERSION, request, FetchResponseData.class)
            .responses()
            .get(0)
            .partitions()
            .get(0);
    List<String> values = new ArrayList<>();
    MemoryRecords records = (MemoryRecords) answer.records();
    if (records != null) {
      stored(records).forEach(one -> values.add(one.value));
    }
    return new Read(
        Errors.forCode(answer.errorCode()),
        answer.highWatermark(),
        values,
        records == null ? 0 : records.sizeInBytes());
  }

  /** Where the partition ends for readers, as a broker answers who knows an epoch; -1 for none. */
  ListOffsetsResponseData.ListOffsetsPartitionResponse latest(int broker, int leaderEpoch) {
    return cluster
        .call(
            broker,
            ApiKeys.LIST_OFFSETS,
            LIST_OFFSETS_VERSION,
            latestRequest(leaderEpoch),
            ListOffsetsResponseData.class)
        .topics()
        .get(0)
        .partitions()
        .get(0);
  }

  /** The request for it. */
  static ListOffsetsRequestData latestRequest(int leaderEpoch) {
    return new ListOffsetsRequestData()
        .setReplicaId(-1)
        .setTopics(
            List.of(
                new ListOffsetsRequestData.ListOffsetsTopic()
                    .setName(TOPIC)
                    .setPartitions(
                        List.of(
                            new ListOffsetsRequestData.ListOffsetsPartition()
                                .setPartitionIndex(0)
                                .setCurrentLeaderEpoch(leaderEpoch)
                                .setTimestamp(ListOffsetsRequest.LATEST_TIMESTAMP)))));
  }

  // --- what is there ---

  /** The partition as a broker knows it from the metadata. */
  MetadataResponsePartition partition(int broker) {
    return cluster.metadata(broker, TOPIC).topics().find(TOPIC).partitions().get(0);
  }

  Uuid topicId() {
    return cluster.metadata(2, TOPIC).topics().find(TOPIC).topicId();
  }

  List<Integer> isr() {
    for (int id = 1; id <= brokers; id++) {
      if (cluster.node(id).isReady()) {
        return partition(id).isrNodes().stream().sorted().toList();
      }
    }
    throw new AssertionError("no broker is ready");
  }

  void awaitIsr(List<Integer> expected) {
    List<Integer> last = isr();
    for (int i = 0; i < WAIT_MS / SETTLE_MS && !last.equals(expected); i++) {
      settle();
      last = isr();
    }
    if (!last.equals(expected)) {
      throw new AssertionError("the ISR is " + last + " and not " + expected);
    }
  }

  /** Waits until all who know of it say that a broker leads in an epoch. */
  void awaitLeader(int leader, int epoch) {
    for (int i = 0; i < WAIT_MS / SETTLE_MS; i++) {
      MetadataResponsePartition partition = partition(leader);
      if (partition.leaderId() == leader && partition.leaderEpoch() == epoch) {
        return;
      }
      settle();
    }
    throw new AssertionError(
        leader + " does not lead in epoch " + epoch + ": " + partition(leader));
  }

  /** What lies in a broker's log, read from its disk. */
  List<Stored> log(int broker) throws IOException {
    return stored(MemoryRecords.readableRecords(ByteBuffer.wrap(segment(broker))));
  }

  int logBytes(int broker) throws IOException {
    return segment(broker).length;
  }

  private byte[] segment(int broker) throws IOException {
    var folder = cluster.node(broker).folder().directory(TOPIC + "-0");
    return folder.exists(SEGMENT) ? folder.readAll(SEGMENT) : new byte[0];
  }

  private static List<Stored> stored(MemoryRecords records) {
    List<Stored> all = new ArrayList<>();
    for (RecordBatch batch : records.batches()) {
      for (Record one : batch) {
        all.add(
            new Stored(
                batch.partitionLeaderEpoch(),
                StandardCharsets.UTF_8.decode(one.value()).toString()));
      }
    }
    return all;
  }

  long end(int broker) throws IOException {
    return log(broker).size();
  }

  long highWatermark(int broker) {
    return read(broker, 0).highWatermark();
  }

  /**
   * The lost tails that a broker lists, each as its numbers: first and last offset, first and last
   * epoch, records, records once below the high watermark.
   */
  List<List<Long>> lostTails(int broker) throws IOException {
    var folder = cluster.node(broker).folder().directory(TOPIC + "-0");
    if (!folder.exists(TailCopy.LIST)) {
      return List.of();
    }
    return new String(folder.readAll(TailCopy.LIST), StandardCharsets.UTF_8)
        .lines()
        .skip(2)
        .map(line -> List.of(line.split(" ", -1)).subList(2, 8))
        .map(words -> words.stream().map(Long::valueOf).toList())
        .toList();
  }
}
