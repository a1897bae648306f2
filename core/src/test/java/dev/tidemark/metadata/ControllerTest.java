package dev.tidemark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ProducerIdsBlock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ControllerTest {
  private static final Uuid DIRECTORY = new Uuid(7, 7);

  private final FakeShard control = new FakeShard();
  private final FakeShard data = new FakeShard();
  private final FakeMetadataLog log = new FakeMetadataLog();
  private final MetadataView view = new MetadataView();
  private Controller controller = newController(true);

  private Controller newController(boolean deleteTopicEnable) {
    ControllerSettings settings =
        new ControllerSettings(
            1, 3, OptionalInt.empty(), deleteTopicEnable, Map.of("log.retention.hours", "2"));
    return new Controller(log, view, control, data, settings);
  }

  @BeforeEach
  void start() throws Exception {
    controller.start();
    register(new Uuid(1, 1));
  }

  private long register(Uuid incarnation) {
    Answer<Long> answer = new Answer<>();
    controller.registerBroker(
        new BrokerIncarnation(
            1,
            incarnation,
            List.of(new BrokerIncarnation.Listener("PLAINTEXT", "localhost", 9092, (short) 0)),
            Optional.of("rack-a"),
            List.of(DIRECTORY),
            false),
        answer);
    data.runAll();
    return answer.get();
  }

  private CreatableTopicResult create(CreatableTopic topic) {
    return create(false, topic).get(0);
  }

  private List<CreatableTopicResult> create(boolean validateOnly, CreatableTopic... topics) {
    CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(validateOnly);
    for (CreatableTopic topic : topics) {
      request.topics().mustAdd(topic);
    }
    Answer<CreateTopicsResponseData> answer = new Answer<>();
    controller.createTopics(request, answer);
    data.runAll();
    return answer.get().topics().stream().toList();
  }

  private static CreatableTopic topic(String name, int partitions, int replicationFactor) {
    return new CreatableTopic()
        .setName(name)
        .setNumPartitions(partitions)
        .setReplicationFactor((short) replicationFactor);
  }

  private static CreatableTopic topic(String name) {
    return topic(name, -1, -1);
  }

  private TopicImage image(String name) {
    return Objects.requireNonNull(view.image().topics().getTopic(name));
  }

  private static Errors error(CreatableTopicResult result) {
    return Errors.forCode(result.errorCode());
  }

  @Test
  void a_new_cluster_has_its_features_and_asks_for_two_in_sync_replicas() {
    assertThat(view.image().features().metadataVersion()).isPresent();
    assertThat(view.image().features().finalizedVersions())
        .containsEntry("group.version", (short) 1)
        .containsEntry("tidemark.version", (short) 1);
    assertThat(
            view.image()
                .configs()
                .configMapForResource(new ConfigResource(ConfigResource.Type.BROKER, "")))
        .containsEntry("min.insync.replicas", "2");
  }

  @Test
  void a_registered_broker_is_alive_and_has_the_offset_of_its_registration_as_epoch() {
    var broker = Objects.requireNonNull(view.image().cluster().broker(1));

    assertThat(broker.fenced()).isFalse();
    assertThat(broker.epoch()).isEqualTo(log.batches.get(1).baseOffset());
    assertThat(broker.rack()).contains("rack-a");
    assertThat(broker.directories()).containsExactly(DIRECTORY);
    assertThat(broker.node("PLAINTEXT")).isPresent();
  }

  @Test
  void a_topic_is_published_before_its_creation_is_answered() {
    ControllerCalls calls = new ControllerCalls(controller, control, data);
    boolean[] seen = {false};
    calls.<CreateTopicsResponseData>call(
        (c, reply) -> {
          CreateTopicsRequestData request = new CreateTopicsRequestData();
          request.topics().mustAdd(topic("orders"));
          c.createTopics(request, reply);
        },
        new Reply<>() {
          @Override
          public void succeed(CreateTopicsResponseData result) {
            seen[0] = view.image().topics().getTopic("orders") != null;
          }

          @Override
          public void fail(Throwable cause) {
            throw new AssertionError(cause);
          }
        });
    control.runAll();
    data.runAll();

    assertThat(seen[0]).isTrue();
  }

  @Test
  void a_topic_without_counts_gets_the_defaults_and_all_effective_configs_are_told() {
    CreatableTopicResult result =
        create(
            topic("orders")
                .setConfigs(
                    new CreateTopicsRequestData.CreatableTopicConfigCollection(
                        List.of(
                                new CreatableTopicConfig()
                                    .setName("cleanup.policy")
                                    .setValue("compact"))
                            .iterator())));

    assertThat(error(result)).isEqualTo(Errors.NONE);
    assertThat(result.numPartitions()).isEqualTo(3);
    assertThat(result.replicationFactor()).isEqualTo((short) 1);
    assertThat(image("orders").partitions()).hasSize(3);
    PartitionRegistration partition = Objects.requireNonNull(image("orders").partitions().get(0));
    assertThat(partition.leader).isEqualTo(1);
    assertThat(partition.isr).containsExactly(1);
    assertThat(partition.directory(1)).isEqualTo(DIRECTORY);
    Map<String, String> told = new java.util.TreeMap<>();
    result.configs().forEach(config -> told.put(config.name(), config.value()));
    assertThat(told)
        .containsEntry("cleanup.policy", "compact")
        .containsEntry("retention.ms", "7200000")
        .containsEntry("min.insync.replicas", "2")
        .containsEntry("segment.bytes", "1073741824");
  }

  @Test
  void bad_topics_are_refused_with_kafkas_error_codes() {
    create(topic("has_under"));
    assertThat(error(create(topic("has_under")))).isEqualTo(Errors.TOPIC_ALREADY_EXISTS);
    assertThat(error(create(topic("has.under")))).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
    assertThat(error(create(topic("a b")))).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
    assertThat(error(create(topic("")))).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
    assertThat(error(create(topic("__cluster_metadata")))).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(error(create(topic("t", 0, 1)))).isEqualTo(Errors.INVALID_PARTITIONS);
    assertThat(error(create(topic("t", 10_001, 1)))).isEqualTo(Errors.POLICY_VIOLATION);
    assertThat(error(create(topic("t", 1, 0)))).isEqualTo(Errors.INVALID_REPLICATION_FACTOR);
    assertThat(error(create(topic("t", 1, 2)))).isEqualTo(Errors.INVALID_REPLICATION_FACTOR);
    assertThat(error(create(withConfig(topic("t"), "retention.ms", "soon"))))
        .isEqualTo(Errors.INVALID_CONFIG);
    assertThat(error(create(withConfig(topic("t"), "no.such.key", "1"))))
        .isEqualTo(Errors.INVALID_CONFIG);
    assertThat(view.image().topics().topicsByName()).hasSize(1);
  }

  private static CreatableTopic withConfig(CreatableTopic topic, String key, String value) {
    topic.configs().mustAdd(new CreatableTopicConfig().setName(key).setValue(value));
    return topic;
  }

  @Test
  void one_bad_topic_of_a_request_does_not_stop_the_others() {
    List<CreatableTopicResult> results =
        create(false, topic("good"), topic("x.y"), topic("x_y"), topic("bad name"));

    assertThat(results)
        .extracting(ControllerTest::error)
        .containsExactly(
            Errors.NONE,
            Errors.NONE,
            Errors.INVALID_TOPIC_EXCEPTION,
            Errors.INVALID_TOPIC_EXCEPTION);
  }

  @Test
  void a_request_that_only_validates_changes_nothing() {
    int batches = log.batches.size();

    assertThat(error(create(true, topic("t", 2, 1)).get(0))).isEqualTo(Errors.NONE);

    assertThat(log.batches).hasSize(batches);
  }

  @Test
  void a_manual_assignment_is_checked_and_kept() {
    CreatableTopic good = topic("good");
    good.assignments().mustAdd(assignment(0, 1));
    good.assignments().mustAdd(assignment(1, 1));
    assertThat(error(create(good))).isEqualTo(Errors.NONE);
    assertThat(image("good").partitions()).hasSize(2);

    CreatableTopic gap = topic("gap");
    gap.assignments().mustAdd(assignment(1, 1));
    assertThat(error(create(gap))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);

    CreatableTopic stranger = topic("stranger");
    stranger.assignments().mustAdd(assignment(0, 5));
    assertThat(error(create(stranger))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);

    CreatableTopic both = topic("both", 1, -1);
    both.assignments().mustAdd(assignment(0, 1));
    assertThat(error(create(both))).isEqualTo(Errors.INVALID_REQUEST);
  }

  private static CreatableReplicaAssignment assignment(int partition, int broker) {
    return new CreatableReplicaAssignment()
        .setPartitionIndex(partition)
        .setBrokerIds(List.of(broker));
  }

  @Test
  void topics_are_deleted_by_name_and_by_id_and_their_configs_go_with_them() {
    create(withConfig(topic("one"), "retention.ms", "5"));
    create(topic("two"));
    Uuid two = image("two").id();

    Answer<DeleteTopicsResponseData> answer = new Answer<>();
    controller.deleteTopics(
        new DeleteTopicsRequestData()
            .setTopics(
                List.of(
                    new DeleteTopicsRequestData.DeleteTopicState().setName("one"),
                    new DeleteTopicsRequestData.DeleteTopicState().setTopicId(two),
                    new DeleteTopicsRequestData.DeleteTopicState().setName("three"),
                    new DeleteTopicsRequestData.DeleteTopicState().setTopicId(new Uuid(5, 5)))),
        answer);
    data.runAll();

    assertThat(answer.get().responses().stream().map(r -> Errors.forCode(r.errorCode())))
        .containsExactly(
            Errors.NONE, Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.UNKNOWN_TOPIC_ID);
    assertThat(view.image().topics().isEmpty()).isTrue();
    assertThat(
            view.image()
                .configs()
                .configMapForResource(new ConfigResource(ConfigResource.Type.TOPIC, "one")))
        .isEmpty();
  }

  @Test
  void a_name_is_free_again_for_its_like_after_the_topic_is_deleted() {
    create(topic("a.b"));
    controller.deleteTopics(
        new DeleteTopicsRequestData().setTopicNames(List.of("a.b")), new Answer<>());
    data.runAll();

    assertThat(error(create(topic("a_b")))).isEqualTo(Errors.NONE);
  }

  @Test
  void a_new_run_of_a_broker_begins_a_new_leader_epoch_in_every_partition() {
    create(topic("t", 2, 1));
    long firstEpoch = Objects.requireNonNull(view.image().cluster().broker(1)).epoch();

    long secondEpoch = register(new Uuid(2, 2));

    assertThat(secondEpoch).isGreaterThan(firstEpoch);
    assertThat(image("t").partitions().values())
        .allSatisfy(
            partition -> {
              assertThat(partition.leader).isEqualTo(1);
              assertThat(partition.leaderEpoch).isEqualTo(1);
            });
  }

  @Test
  void a_restarted_controller_finds_everything_again() throws Exception {
    create(withConfig(topic("a.b", 2, 1), "retention.ms", "5"));
    Uuid id = image("a.b").id();
    MetadataView second = new MetadataView();
    Controller restarted =
        new Controller(
            log,
            second,
            control,
            data,
            new ControllerSettings(1, 1, OptionalInt.empty(), true, Map.of()));

    restarted.start();
    data.runAll();

    assertThat(second.image().topics()).isEqualTo(view.image().topics());
    assertThat(second.image().configs()).isEqualTo(view.image().configs());
    assertThat(second.image().topics().getTopic(id)).isNotNull();
    Answer<CreateTopicsResponseData> answer = new Answer<>();
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request.topics().mustAdd(topic("a_b"));
    restarted.createTopics(request, answer);
    assertThat(error(answer.get().topics().iterator().next()))
        .isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
  }

  @Test
  void a_restarted_controller_knows_no_configs_of_a_topic_that_is_gone() throws Exception {
    create(withConfig(topic("t"), "retention.ms", "5"));
    controller.deleteTopics(
        new DeleteTopicsRequestData().setTopicNames(List.of("t")), new Answer<>());
    MetadataView second = new MetadataView();
    new Controller(
            log,
            second,
            control,
            data,
            new ControllerSettings(1, 1, OptionalInt.empty(), true, Map.of()))
        .start();
    data.runAll();

    assertThat(
            second
                .image()
                .configs()
                .configMapForResource(new ConfigResource(ConfigResource.Type.TOPIC, "t")))
        .isEmpty();
  }

  @Test
  void producer_ids_are_handed_out_once_and_only_to_the_current_run() {
    long epoch = Objects.requireNonNull(view.image().cluster().broker(1)).epoch();
    Answer<ProducerIdsBlock> first = new Answer<>();
    controller.allocateProducerIds(1, epoch, first);
    Answer<ProducerIdsBlock> second = new Answer<>();
    controller.allocateProducerIds(1, epoch, second);
    Answer<ProducerIdsBlock> stale = new Answer<>();
    controller.allocateProducerIds(1, epoch - 1, stale);

    assertThat(first.get().firstProducerId()).isZero();
    assertThat(second.get().firstProducerId()).isEqualTo(1000);
    assertThat(stale.failure).isNotNull();
  }

  @Test
  void what_is_asked_while_a_batch_is_in_flight_waits_and_sees_its_outcome() {
    log.hold();
    Answer<CreateTopicsResponseData> first = new Answer<>();
    Answer<CreateTopicsResponseData> second = new Answer<>();
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request.topics().mustAdd(topic("t"));
    controller.createTopics(request, first);
    controller.createTopics(request.duplicate(), second);
    assertThat(log.heldCommits()).isEqualTo(1);
    assertThat(first.isThere()).isFalse();

    log.releaseOne();

    assertThat(error(first.get().topics().iterator().next())).isEqualTo(Errors.NONE);
    assertThat(error(second.get().topics().iterator().next()))
        .isEqualTo(Errors.TOPIC_ALREADY_EXISTS);
  }

  @Test
  void a_failed_write_fails_the_call_and_changes_nothing() {
    log.failNext();
    Answer<CreateTopicsResponseData> answer = new Answer<>();
    CreateTopicsRequestData request = new CreateTopicsRequestData();
    request.topics().mustAdd(topic("t"));
    controller.createTopics(request, answer);
    data.runAll();

    assertThat(answer.failure).hasMessageContaining("no space left");
    assertThat(view.image().topics().isEmpty()).isTrue();
    assertThat(error(create(topic("t")))).isEqualTo(Errors.NONE);
  }

  @Test
  void partitions_can_be_added_but_not_taken_away() {
    create(topic("t", 2, 1));
    CreatePartitionsRequestData request = new CreatePartitionsRequestData();
    request
        .topics()
        .mustAdd(
            new CreatePartitionsRequestData.CreatePartitionsTopic()
                .setName("t")
                .setCount(5)
                .setAssignments(null));
    Answer<CreatePartitionsResponseData> grown = new Answer<>();
    controller.createPartitions(request, grown);
    data.runAll();
    assertThat(grown.get().results().get(0).errorCode()).isZero();
    assertThat(image("t").partitions()).hasSize(5);

    Answer<CreatePartitionsResponseData> same = new Answer<>();
    controller.createPartitions(request, same);
    assertThat(same.get().results().get(0).errorCode()).isEqualTo(Errors.INVALID_PARTITIONS.code());
  }

  @Test
  void configs_are_set_appended_subtracted_and_deleted() {
    create(topic("t"));
    assertThat(alter("t", "cleanup.policy", "compact", OpType.APPEND)).isEqualTo(Errors.NONE);
    assertThat(config("t")).containsEntry("cleanup.policy", "delete,compact");
    assertThat(alter("t", "cleanup.policy", "delete", OpType.SUBTRACT)).isEqualTo(Errors.NONE);
    assertThat(config("t")).containsEntry("cleanup.policy", "compact");
    assertThat(alter("t", "retention.ms", "77", OpType.SET)).isEqualTo(Errors.NONE);
    assertThat(config("t")).containsEntry("retention.ms", "77");
    assertThat(alter("t", "retention.ms", null, OpType.DELETE)).isEqualTo(Errors.NONE);
    assertThat(config("t")).doesNotContainKey("retention.ms");

    assertThat(alter("t", "retention.ms", "1", OpType.APPEND)).isEqualTo(Errors.INVALID_CONFIG);
    assertThat(alter("t", "retention.ms", "x", OpType.SET)).isEqualTo(Errors.INVALID_CONFIG);
    assertThat(alter("u", "retention.ms", "1", OpType.SET))
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
  }

  @Test
  void topic_settings_follow_config_changes() {
    TopicConfigs configs = new TopicConfigs(1, Map.of("log.retention.hours", "2"), 5000);
    view.addListener((delta, image) -> configs.onMetadataUpdate(delta));
    create(topic("t"));
    assertThat(configs.of(view.image(), "t").log().retentionMs()).isEqualTo(7_200_000);
    assertThat(configs.of(view.image(), "t").minInsyncReplicas()).isEqualTo(2);
    assertThat(configs.of(view.image(), "t").log().producerIdExpirationMs()).isEqualTo(5000);

    alterBroker("", "log.retention.ms", "11");
    assertThat(configs.of(view.image(), "t").log().retentionMs()).isEqualTo(11);
    alterBroker("", "producer.id.expiration.ms", "6000");
    assertThat(configs.of(view.image(), "t").log().producerIdExpirationMs()).isEqualTo(6000);
    alterBroker("1", "log.retention.ms", "12");
    assertThat(configs.of(view.image(), "t").log().retentionMs()).isEqualTo(12);
    alter("t", "retention.ms", "13", OpType.SET);
    alter("t", "cleanup.policy", "compact", OpType.SET);
    assertThat(configs.of(view.image(), "t").log().retentionMs()).isEqualTo(13);
    assertThat(configs.of(view.image(), "t").log().compact()).isTrue();
    assertThat(configs.of(view.image(), "t").log().delete()).isFalse();
  }

  @Test
  void the_cluster_keeps_a_floor_of_in_sync_replicas_that_no_single_broker_changes() {
    assertThat(alterBroker("1", "min.insync.replicas", "1")).isEqualTo(Errors.INVALID_CONFIG);
    assertThat(alterBroker("", "min.insync.replicas", "1")).isEqualTo(Errors.NONE);
    assertThat(alterBroker("9", "log.retention.ms", "9")).isEqualTo(Errors.INVALID_REQUEST);
  }

  @Test
  void dynamic_broker_keys_are_taken_with_good_values_and_others_are_refused() {
    for (String key : List.of("num.io.threads", "log.cleaner.threads", "max.connections")) {
      assertThat(alterBroker("", key, "9")).as(key).isEqualTo(Errors.NONE);
    }
    assertThat(alterBroker("1", "key.of.a.plugin", "1")).isEqualTo(Errors.NONE);
    for (String key : List.of("node.id", "log.retention.hours", "listeners", "ssl.protocol")) {
      assertThat(alterBroker("1", key, "9")).as(key).isEqualTo(Errors.INVALID_REQUEST);
    }
    assertThat(alterBroker("", "log.retention.ms", "long")).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(alterBroker("", "log.cleaner.threads", "0")).isEqualTo(Errors.INVALID_REQUEST);
  }

  @Test
  void the_older_alteration_replaces_all_configs_of_a_topic() {
    create(withConfig(topic("t"), "retention.ms", "5"));
    AlterConfigsRequestData request = new AlterConfigsRequestData();
    AlterConfigsRequestData.AlterConfigsResource resource =
        new AlterConfigsRequestData.AlterConfigsResource()
            .setResourceType(ConfigResource.Type.TOPIC.id())
            .setResourceName("t");
    resource
        .configs()
        .mustAdd(new AlterConfigsRequestData.AlterableConfig().setName("flush.ms").setValue("9"));
    request.resources().mustAdd(resource);
    Answer<AlterConfigsResponseData> answer = new Answer<>();
    controller.alterConfigs(request, answer);
    data.runAll();

    assertThat(answer.get().responses().get(0).errorCode()).isZero();
    assertThat(config("t")).containsOnly(Map.entry("flush.ms", "9"));
  }

  private Map<String, String> config(String topic) {
    return view.image()
        .configs()
        .configMapForResource(new ConfigResource(ConfigResource.Type.TOPIC, topic));
  }

  private Errors alterBroker(String name, String key, String value) {
    return alter(ConfigResource.Type.BROKER, name, key, value, OpType.SET);
  }

  private Errors alter(
      String topic, String key, @org.jspecify.annotations.Nullable String value, OpType operation) {
    return alter(ConfigResource.Type.TOPIC, topic, key, value, operation);
  }

  private Errors alter(
      ConfigResource.Type type,
      String name,
      String key,
      @org.jspecify.annotations.Nullable String value,
      OpType operation) {
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
                .setConfigOperation(operation.id()));
    request.resources().mustAdd(resource);
    Answer<IncrementalAlterConfigsResponseData> answer = new Answer<>();
    controller.incrementalAlterConfigs(request, answer);
    data.runAll();
    return Errors.forCode(answer.get().responses().get(0).errorCode());
  }
}
