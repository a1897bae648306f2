package dev.tidemark.broker;

import dev.tidemark.broker.replication.ReplicationSettings;
import dev.tidemark.metadata.Controller;
import dev.tidemark.metadata.Reply;
import dev.tidemark.protocol.PeerConnection;
import dev.tidemark.replica.LagRule;
import dev.tidemark.replica.PartitionFollower;
import dev.tidemark.replica.PartitionLeader;
import dev.tidemark.replica.fetch.FetcherSettings;
import dev.tidemark.replica.fetch.QuotaWindow;
import dev.tidemark.replica.fetch.ServingSettings;
import dev.tidemark.sim.Scheduler;
import dev.tidemark.sim.SimNode;
import dev.tidemark.sim.SimShard;
import dev.tidemark.sim.Trace;
import dev.tidemark.sim.VirtualDialer;
import dev.tidemark.sim.VirtualNetwork;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitionsCollection;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/** Brokers 1 to n, a controller and a client, each on a machine of its own, in virtual time. */
final class SimCluster {
  static final ReplicationSettings REPLICATION =
      new ReplicationSettings(
          DataPlane.LISTENER,
          FetcherSettings.defaults(),
          ServingSettings.defaults(),
          QuotaWindow.defaults(),
          new LagRule(5_000, Long.MAX_VALUE),
          5_000,
          1 << 20);

  private static final long WALL_MS = 1_700_000_000_000L;
  private static final long LIMIT_MS = 60_000;

  private final VirtualNetwork network;
  private final Trace trace = new Trace(null);
  private final Scheduler scheduler = new Scheduler(trace);
  private final TreeMap<Integer, DataPlane> brokers = new TreeMap<>();
  private final PlaneController controller;
  private final SimShard client;
  private final Map<Integer, PeerConnection> connections = new TreeMap<>();

  SimCluster(long seed, int count) throws IOException {
    this(seed, count, Map.of());
  }

  SimCluster(long seed, int count, Map<String, String> settings) throws IOException {
    network = new VirtualNetwork(scheduler, seed);
    controller = new PlaneController(new SimNode("controller", network, seed, WALL_MS, 0));
    scheduler.runForMs(100);
    for (int id = 1; id <= count; id++) {
      SimNode machine = new SimNode("b" + id, network, seed, WALL_MS, 0);
      DataPlane broker = new DataPlane(id, machine, network, controller, REPLICATION, settings);
      brokers.put(id, broker);
      broker.start();
    }
    client = new SimNode("client", network, seed, WALL_MS, 0).newShard("client");
    await(() -> brokers.keySet().stream().allMatch(this::isUnfenced));
  }

  long traceHash() {
    return trace.hash();
  }

  void await(BooleanSupplier condition) {
    if (!scheduler.runUntil(condition, LIMIT_MS)) {
      List<String> failures = new ArrayList<>();
      brokers.values().forEach(broker -> failures.addAll(broker.failures()));
      throw new AssertionError("it did not come to that; failures: " + failures);
    }
  }

  void runForMs(long ms) {
    scheduler.runForMs(ms);
  }

  DataPlane broker(int id) {
    return Objects.requireNonNull(brokers.get(id));
  }

  /** Nothing gets from one broker to another any more, and nothing back, until it is healed. */
  void cut(int one, int other) {
    network.cut(broker(one).host(), broker(other).host());
  }

  void heal() {
    network.heal();
  }

  boolean isUnfenced(int id) {
    var registration = controller.image().cluster().broker(id);
    return broker(id).isReady() && registration != null && !registration.fenced();
  }

  // --- topics ---

  /** Creates a topic of one partition with these replicas; {@code configs} are keys and values. */
  void create(String topic, List<Integer> replicas, String... configs) {
    CreatableTopic creatable = new CreatableTopic().setName(topic);
    creatable.setNumPartitions(-1).setReplicationFactor((short) -1);
    creatable
        .assignments()
        .add(new CreatableReplicaAssignment().setPartitionIndex(0).setBrokerIds(replicas));
    for (int i = 0; i < configs.length; i += 2) {
      creatable
          .configs()
          .mustAdd(new CreatableTopicConfig().setName(configs[i]).setValue(configs[i + 1]));
    }
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request.topics().add(creatable);
    List<Errors> answers = new ArrayList<>();
    controller.call(
        client,
        (decider, reply) -> decider.createTopics(request, reply),
        new Reply<CreateTopicsResponseData>() {
          @Override
          public void succeed(CreateTopicsResponseData answer) {
            answers.add(Errors.forCode(answer.topics().iterator().next().errorCode()));
          }

          @Override
          public void fail(Throwable cause) {
            answers.add(Errors.forException(cause));
          }
        });
    await(() -> !answers.isEmpty());
    if (answers.get(0) != Errors.NONE) {
      throw new AssertionError("create " + topic + ": " + answers);
    }
    await(() -> replicas.stream().allMatch(id -> broker(id).role(topic, 0) != null));
  }

  /** Has partition 0 move to these replicas. */
  void reassign(String topic, List<Integer> replicas) {
    AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData();
    request
        .topics()
        .add(
            new ReassignableTopic()
                .setName(topic)
                .setPartitions(
                    List.of(
                        new ReassignablePartition().setPartitionIndex(0).setReplicas(replicas))));
    List<Errors> answers = new ArrayList<>();
    controller.call(
        client,
        (decider, reply) -> decider.alterPartitionReassignments(request, reply),
        new Reply<AlterPartitionReassignmentsResponseData>() {
          @Override
          public void succeed(AlterPartitionReassignmentsResponseData answer) {
            answers.add(Errors.forCode(answer.responses().get(0).partitions().get(0).errorCode()));
          }

          @Override
          public void fail(Throwable cause) {
            answers.add(Errors.forException(cause));
          }
        });
    await(() -> !answers.isEmpty());
    if (answers.get(0) != Errors.NONE) {
      throw new AssertionError("reassign " + topic + ": " + answers);
    }
  }

  /** Gives partition 0 back to its preferred leader. */
  void elect(String topic) {
    TopicPartitionsCollection topics = new TopicPartitionsCollection();
    topics.add(new TopicPartitions().setTopic(topic).setPartitions(List.of(0)));
    ElectLeadersRequestData request =
        new ElectLeadersRequestData().setTopicPartitions(topics).setTimeoutMs(10_000);
    var unused =
        this.<ElectLeadersResponseData>decide(
            (decider, reply) -> decider.electLeaders(request, reply));
  }

  /** Deletes a topic; what is on the disks goes later. */
  void delete(String topic) {
    DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTopicNames(List.of(topic));
    var unused =
        this.<DeleteTopicsResponseData>decide(
            (decider, reply) -> decider.deleteTopics(request, reply));
  }

  /**
   * Sets a config of a topic, or of all brokers together (the name is empty); null removes it.
   *
   * @return the error
   */
  Errors configure(ConfigResource.Type type, String name, String key, @Nullable String value) {
    AlterConfigsResource resource =
        new AlterConfigsResource().setResourceType(type.id()).setResourceName(name);
    OpType operation = value == null ? OpType.DELETE : OpType.SET;
    resource
        .configs()
        .mustAdd(
            new AlterableConfig().setName(key).setConfigOperation(operation.id()).setValue(value));
    IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
    request.resources().mustAdd(resource);
    var answer =
        this.<IncrementalAlterConfigsResponseData>decide(
            (decider, reply) -> decider.incrementalAlterConfigs(request, reply));
    return Errors.forCode(answer.responses().get(0).errorCode());
  }

  private <T> T decide(BiConsumer<Controller, Reply<T>> call) {
    List<T> answers = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    controller.call(
        client,
        call,
        new Reply<T>() {
          @Override
          public void succeed(T answer) {
            answers.add(answer);
          }

          @Override
          public void fail(Throwable cause) {
            failures.add(cause);
          }
        });
    await(() -> answers.size() + failures.size() > 0);
    failures.forEach(
        cause -> {
          throw new AssertionError("the controller failed", cause);
        });
    return answers.get(0);
  }

  /** What the controller says of partition 0. */
  PartitionRegistration state(String topic) {
    return Objects.requireNonNull(controller.image().topics().getTopic(topic)).partitions().get(0);
  }

  Uuid topicId(String topic) {
    return Objects.requireNonNull(controller.image().topics().getTopic(topic)).id();
  }

  List<Integer> isr(String topic) {
    List<Integer> isr = new ArrayList<>();
    for (int id : state(topic).isr) {
      isr.add(id);
    }
    return isr;
  }

  PartitionLeader leader(int id, String topic) {
    return (PartitionLeader) Objects.requireNonNull(broker(id).role(topic, 0));
  }

  boolean leads(int id, String topic) {
    return broker(id).role(topic, 0) instanceof PartitionLeader;
  }

  boolean follows(int id, String topic, int leader) {
    return broker(id).role(topic, 0) instanceof PartitionFollower follower
        && follower.leaderId() == leader;
  }

  long highWatermark(int id, String topic) {
    return Objects.requireNonNull(broker(id).role(topic, 0)).highWatermark();
  }

  long endOffset(int id, String topic) {
    return Objects.requireNonNull(broker(id).role(topic, 0)).log().logEndOffset();
  }

  // --- a client ---

  /** An answer, once it is there. */
  static final class Exchange implements PeerConnection.Answer {
    private final List<Object> answers = new ArrayList<>();
    private final Function<ApiMessage, Object> take;

    Exchange(Function<ApiMessage, Object> take) {
      this.take = take;
    }

    @Override
    public void onResponse(ApiMessage response) {
      answers.add(take.apply(response));
    }

    @Override
    public void onFailed(PeerConnection.Failure failure) {
      answers.add(failure);
    }

    boolean isAnswered() {
      return !answers.isEmpty();
    }

    @Nullable Object answer() {
      return answers.get(0);
    }
  }

  /** Sends a request; {@code take} reads its answer while its memory is there. */
  Exchange send(
      int broker,
      ApiKeys api,
      short version,
      ApiMessage request,
      Function<ApiMessage, Object> take) {
    Exchange exchange = new Exchange(take);
    client.execute(
        () ->
            connections
                .computeIfAbsent(
                    broker,
                    id ->
                        new PeerConnection(
                            new VirtualDialer(client),
                            client.timers(),
                            "client",
                            broker(id).host(),
                            DataPlane.PORT))
                .send(api, version, request, LIMIT_MS, exchange));
    return exchange;
  }

  /** The client closes its connection to a broker, whatever it still waits for. */
  void hangUp(int broker) {
    client.execute(() -> Objects.requireNonNull(connections.remove(broker)).close());
  }

  @Nullable Object answer(Exchange exchange) {
    await(exchange::isAnswered);
    return exchange.answer();
  }

  /** For partition 0, by the topic's name. */
  static ProduceRequestData produceRequest(
      String topic, int acks, int timeoutMs, String... values) {
    SimpleRecord[] records = new SimpleRecord[values.length];
    for (int i = 0; i < values.length; i++) {
      records[i] = new SimpleRecord(WALL_MS, values[i].getBytes(StandardCharsets.UTF_8));
    }
    return produceRequest(
        topic, acks, timeoutMs, MemoryRecords.withRecords(Compression.NONE, records));
  }

  private static ProduceRequestData produceRequest(
      String topic, int acks, int timeoutMs, MemoryRecords records) {
    ProduceRequestData data =
        new ProduceRequestData().setAcks((short) acks).setTimeoutMs(timeoutMs);
    data.topicData()
        .add(
            new ProduceRequestData.TopicProduceData()
                .setName(topic)
                .setPartitionData(
                    List.of(
                        new ProduceRequestData.PartitionProduceData()
                            .setIndex(0)
                            .setRecords(records))));
    return data;
  }

  /** Writes values to partition 0 at a broker; the answer is the error. */
  Exchange produce(int broker, String topic, int acks, int timeoutMs, String... values) {
    return produce(broker, produceRequest(topic, acks, timeoutMs, values));
  }

  private Exchange produce(int broker, ProduceRequestData request) {
    return send(
        broker,
        ApiKeys.PRODUCE,
        (short) 9,
        request,
        response -> {
          PartitionProduceResponse part =
              ((ProduceResponseData) response)
                  .responses()
                  .iterator()
                  .next()
                  .partitionResponses()
                  .get(0);
          return Errors.forCode(part.errorCode());
        });
  }

  /** Writes with acks=all and waits for the answer. */
  @Nullable Object produceAll(int broker, String topic, String... values) {
    return answer(produce(broker, topic, -1, 5_000, values));
  }

  /** Writes a value as an idempotent producer's next one, with acks=all; waits for the answer. */
  @Nullable Object produceNext(int broker, String topic, int sequence, String value) {
    SimpleRecord record = new SimpleRecord(WALL_MS, value.getBytes(StandardCharsets.UTF_8));
    MemoryRecords records =
        MemoryRecords.withIdempotentRecords(Compression.NONE, 9, (short) 0, sequence, record);
    return answer(produce(broker, produceRequest(topic, -1, 5_000, records)));
  }

  /** What a fetch of partition 0 was answered. */
  record Fetched(Errors error, long highWatermark, int preferredReplica, List<String> values) {}

  Exchange fetch(int broker, String topic, long offset, int maxWaitMs, String rack) {
    FetchRequestData data =
        new FetchRequestData()
            .setReplicaId(-1)
            .setMaxBytes(1 << 20)
            .setMinBytes(1)
            .setMaxWaitMs(maxWaitMs)
            .setRackId(rack)
            .setSessionEpoch(-1);
    data.topics()
        .add(
            new FetchRequestData.FetchTopic()
                .setTopic(topic)
                .setPartitions(
                    List.of(
                        new FetchRequestData.FetchPartition()
                            .setPartition(0)
                            .setFetchOffset(offset)
                            .setPartitionMaxBytes(1 << 20))));
    return send(
        broker, ApiKeys.FETCH, (short) 12, data, response -> fetched((FetchResponseData) response));
  }

  private static Fetched fetched(FetchResponseData response) {
    FetchResponseData.PartitionData part = response.responses().get(0).partitions().get(0);
    List<String> values = new ArrayList<>();
    if (part.records() != null) {
      for (Record record : ((MemoryRecords) part.records()).records()) {
        values.add(StandardCharsets.UTF_8.decode(record.value()).toString());
      }
    }
    return new Fetched(
        Errors.forCode(part.errorCode()),
        part.highWatermark(),
        part.preferredReadReplica(),
        values);
  }

  /** All values that can be read at a broker, which must lead or follow. */
  List<String> read(int broker, String topic) {
    List<String> all = new ArrayList<>();
    while (true) {
      Fetched part = (Fetched) answer(fetch(broker, topic, all.size(), 0, ""));
      if (part.error() != Errors.NONE) {
        throw new AssertionError("fetch from " + broker + ": " + part);
      }
      if (part.values().isEmpty()) {
        return all;
      }
      all.addAll(part.values());
    }
  }

  /** The answer to ListOffsets; its error or its offset. */
  @Nullable Object offset(int broker, String topic, long timestamp) {
    ListOffsetsRequestData data = new ListOffsetsRequestData().setReplicaId(-1);
    data.topics()
        .add(
            new ListOffsetsRequestData.ListOffsetsTopic()
                .setName(topic)
                .setPartitions(
                    List.of(
                        new ListOffsetsRequestData.ListOffsetsPartition()
                            .setPartitionIndex(0)
                            .setTimestamp(timestamp))));
    return answer(
        send(
            broker,
            ApiKeys.LIST_OFFSETS,
            (short) 7,
            data,
            response -> {
              var part = ((ListOffsetsResponseData) response).topics().get(0).partitions().get(0);
              Errors error = Errors.forCode(part.errorCode());
              return error == Errors.NONE ? (Object) part.offset() : error;
            }));
  }
}
