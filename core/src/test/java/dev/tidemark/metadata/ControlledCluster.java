package dev.tidemark.metadata;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;

/** A controller with brokers that do what a test says, in virtual time. */
final class ControlledCluster {
  static final String CLUSTER_ID = "the-cluster";
  static final long SESSION_MS = 9_000;
  static final int NO_LEADER = -1;

  final FakeShard control = new FakeShard();
  final FakeShard data = new FakeShard();
  final FakeMetadataLog log = new FakeMetadataLog();
  final MetadataView view = new MetadataView();
  final Map<Integer, Long> epochs = new TreeMap<>();
  final List<Probed> probes = new ArrayList<>();
  final Map<Integer, String> racks = new TreeMap<>();
  Controller controller;
  private int runs;

  /** A question of the controller to the network that the test answers. */
  record Probed(int brokerId, Consumer<BrokerProbe.Outcome> whenDone) {}

  ControlledCluster() {
    controller = newController(BrokerControlSettings.defaults());
    start();
  }

  /** Brokers 1 to {@code brokers} are alive. */
  static ControlledCluster of(int brokers) {
    ControlledCluster cluster = new ControlledCluster();
    for (int id = 1; id <= brokers; id++) {
      cluster.join(id);
    }
    return cluster;
  }

  /** Another controller takes over; it knows what is in the log and nothing else. */
  void failOver() {
    control.reseed();
    controller = newController(BrokerControlSettings.defaults());
    start();
  }

  void failOver(BrokerControlSettings settings) {
    control.reseed();
    controller = newController(settings);
    start();
  }

  private Controller newController(BrokerControlSettings settings) {
    return new Controller(
        log,
        view,
        control,
        data,
        new ControllerSettings(9, 1, OptionalInt.empty(), true, Map.of()),
        new BrokerControlSettings(
            CLUSTER_ID,
            SESSION_MS,
            settings.fastFencing(),
            settings.autoRebalance(),
            settings.rebalanceIntervalMs()),
        (broker, whenDone) -> probes.add(new Probed(broker.id(), whenDone)));
  }

  private void start() {
    try {
      controller.start();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
    data.runAll();
  }

  static Uuid folder(int brokerId) {
    return new Uuid(1_000 + brokerId, 1);
  }

  /** What broker {@code id} sends when it starts on its one folder, after an unclean stop. */
  BrokerRegistrationRequestData registration(int id) {
    BrokerRegistrationRequestData request =
        BrokerRegistering.request(
                new BrokerIncarnation(
                    id,
                    new Uuid(id, ++runs),
                    List.of(
                        new BrokerIncarnation.Listener("PLAINTEXT", "host" + id, 9092, (short) 0)),
                    java.util.Optional.ofNullable(racks.get(id)),
                    List.of(folder(id)),
                    false),
                -1)
            .setClusterId(CLUSTER_ID);
    return request;
  }

  BrokerRegistrationRequestData registrationAfterCleanStop(int id) {
    return registration(id).setPreviousBrokerEpoch(epochs.getOrDefault(id, -1L));
  }

  Answer<Long> register(BrokerRegistrationRequestData request) {
    Answer<Long> answer = new Answer<>();
    controller.registerBroker(request, answer);
    data.runAll();
    if (answer.result != null) {
      epochs.put(request.brokerId(), answer.result);
    }
    return answer;
  }

  /** Starts a broker; it is unfenced afterwards. */
  void join(int id) {
    register(registrationAfterCleanStop(id)).get();
    beat(id);
  }

  long lastOffset() {
    return log.state().logEndOffset() - 1;
  }

  BrokerHeartbeatRequestData heartbeat(int id) {
    return new BrokerHeartbeatRequestData()
        .setBrokerId(id)
        .setBrokerEpoch(epochs.getOrDefault(id, -1L))
        .setCurrentMetadataOffset(lastOffset());
  }

  Answer<BrokerHeartbeatResponseData> send(BrokerHeartbeatRequestData request) {
    Answer<BrokerHeartbeatResponseData> answer = new Answer<>();
    controller.heartbeat(request, answer);
    data.runAll();
    return answer;
  }

  /** A heartbeat of a broker that has applied everything, and its answer. */
  BrokerHeartbeatResponseData beat(int id) {
    return answered(heartbeat(id));
  }

  BrokerHeartbeatResponseData answered(BrokerHeartbeatRequestData request) {
    Answer<BrokerHeartbeatResponseData> answer = send(request);
    if (!answer.isThere()) {
      control.advance(BrokerLifecycle.PATIENT_MS);
      data.runAll();
    }
    return answer(answer);
  }

  /** As it goes over the wire. */
  static BrokerHeartbeatResponseData answer(Answer<BrokerHeartbeatResponseData> answer) {
    return answer.failure == null
        ? answer.get()
        : new BrokerHeartbeatResponseData()
            .setErrorCode(Errors.forException(answer.failure).code());
  }

  /** Lets time pass in which only these brokers send heartbeats, with all they know. */
  void pass(long ms, Integer... alive) {
    long left = ms;
    while (left > 0) {
      long step = Math.min(left, 500);
      control.advance(step);
      left -= step;
      for (int id : alive) {
        send(heartbeat(id));
      }
    }
    control.advance(BrokerLifecycle.PATIENT_MS);
    data.runAll();
  }

  Uuid create(String name, Integer... replicas) {
    return create(name, List.of(Arrays.asList(replicas)));
  }

  Uuid create(String name, List<List<Integer>> assignment) {
    CreatableTopic topic =
        new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
    for (int i = 0; i < assignment.size(); i++) {
      topic
          .assignments()
          .mustAdd(
              new CreatableReplicaAssignment()
                  .setPartitionIndex(i)
                  .setBrokerIds(assignment.get(i)));
    }
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request.topics().mustAdd(topic);
    Answer<CreateTopicsResponseData> answer = new Answer<>();
    controller.createTopics(request, answer);
    data.runAll();
    var result = answer.get().topics().iterator().next();
    if (result.errorCode() != 0) {
      throw new AssertionError(Errors.forCode(result.errorCode()) + " " + result.errorMessage());
    }
    return result.topicId();
  }

  PartitionRegistration partition(String topic) {
    return partition(topic, 0);
  }

  PartitionRegistration partition(String topic, int index) {
    TopicImage image = Objects.requireNonNull(view.image().topics().getTopic(topic), topic);
    return Objects.requireNonNull(image.partitions().get(index));
  }

  Uuid topicId(String topic) {
    return Objects.requireNonNull(view.image().topics().getTopic(topic), topic).id();
  }

  BrokerRegistration broker(int id) {
    return Objects.requireNonNull(view.image().cluster().broker(id));
  }

  List<Integer> isr(String topic) {
    return Replicas.toList(partition(topic).isr);
  }

  List<Integer> elr(String topic) {
    return Replicas.toList(partition(topic).elr);
  }

  /** The proposal of a partition's leader that knows all that is committed. */
  AlterPartitionRequestData.PartitionData proposal(String topic, Integer... isr) {
    PartitionRegistration state = partition(topic);
    AlterPartitionRequestData.PartitionData proposal =
        new AlterPartitionRequestData.PartitionData()
            .setPartitionIndex(0)
            .setLeaderEpoch(state.leaderEpoch)
            .setPartitionEpoch(state.partitionEpoch)
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED.value());
    for (int id : isr) {
      proposal
          .newIsrWithEpochs()
          .add(new BrokerState().setBrokerId(id).setBrokerEpoch(epochs.getOrDefault(id, -2L)));
    }
    return proposal;
  }

  AlterPartitionResponseData.PartitionData propose(
      int leader, String topic, AlterPartitionRequestData.PartitionData proposal) {
    AlterPartitionRequestData request =
        new AlterPartitionRequestData()
            .setBrokerId(leader)
            .setBrokerEpoch(epochs.getOrDefault(leader, -1L));
    request
        .topics()
        .add(
            new AlterPartitionRequestData.TopicData()
                .setTopicId(topicId(topic))
                .setPartitions(List.of(proposal)));
    Answer<AlterPartitionResponseData> answer = new Answer<>();
    controller.alterPartition(request, answer);
    data.runAll();
    return answer.get().topics().get(0).partitions().get(0);
  }

  /** The leader gives its partition another ISR. */
  Errors setIsr(String topic, Integer... isr) {
    int leader = partition(topic).leader;
    return Errors.forCode(propose(leader, topic, proposal(topic, isr)).errorCode());
  }

  Errors setConfig(ConfigResource.Type type, String name, String key, String value) {
    return Errors.forCode(
        trySetConfig(type, name, key, value).get().responses().get(0).errorCode());
  }

  Answer<IncrementalAlterConfigsResponseData> trySetConfig(
      ConfigResource.Type type, String name, String key, String value) {
    IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
    IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
        new IncrementalAlterConfigsRequestData.AlterConfigsResource()
            .setResourceType(type.id())
            .setResourceName(name);
    resource
        .configs()
        .mustAdd(
            new IncrementalAlterConfigsRequestData.AlterableConfig()
                .setName(key)
                .setValue(value)
                .setConfigOperation(OpType.SET.id()));
    request.resources().mustAdd(resource);
    Answer<IncrementalAlterConfigsResponseData> answer = new Answer<>();
    controller.incrementalAlterConfigs(request, answer);
    data.runAll();
    return answer;
  }
}
