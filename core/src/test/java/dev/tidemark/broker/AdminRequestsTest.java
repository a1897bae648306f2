package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.DescribeClusterRequest;
import org.apache.kafka.common.requests.DescribeClusterResponse;
import org.apache.kafka.common.requests.DescribeConfigsRequest;
import org.apache.kafka.common.requests.DescribeConfigsResponse;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeTopicPartitionsRequest;
import org.apache.kafka.common.requests.DescribeTopicPartitionsResponse;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsResponse;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AdminRequestsTest {
  private final ControlPlane plane =
      new ControlPlane(Map.of("num.partitions", "2", "log.retention.hours", "3"));

  private MetadataResponseData metadata(short version, MetadataRequestData data) {
    return plane.call(new MetadataRequest(data, version), MetadataResponse.class).data();
  }

  private static MetadataRequestData named(boolean mayCreate, String... names) {
    List<MetadataRequestData.MetadataRequestTopic> topics = new ArrayList<>();
    for (String name : names) {
      topics.add(new MetadataRequestData.MetadataRequestTopic().setName(name));
    }
    return new MetadataRequestData().setTopics(topics).setAllowAutoTopicCreation(mayCreate);
  }

  private static Errors error(MetadataResponseTopic topic) {
    return Errors.forCode(topic.errorCode());
  }

  @Test
  void metadata_names_the_broker_on_the_clients_listener_in_every_version() {
    for (short version : ApiKeys.METADATA.allVersions()) {
      MetadataResponseData answer = metadata(version, named(true, "t" + version));
      assertThat(answer.brokers()).singleElement().extracting(b -> b.port()).isEqualTo(9092);
      MetadataResponseTopic topic = answer.topics().iterator().next();
      assertThat(error(topic)).as("version " + version).isEqualTo(Errors.NONE);
      assertThat(topic.partitions()).hasSize(2);
      assertThat(topic.partitions().get(0).leaderId()).isEqualTo(1);
    }
  }

  @Test
  void a_topic_is_created_on_first_use_and_known_in_the_same_answer() {
    MetadataResponseTopic created =
        metadata((short) 12, named(true, "fresh")).topics().iterator().next();
    assertThat(error(created)).isEqualTo(Errors.NONE);
    assertThat(created.topicId()).isNotEqualTo(Uuid.ZERO_UUID);
  }

  @Test
  void a_topic_is_not_created_when_client_or_broker_forbid_it_or_its_name_is_bad() {
    assertThat(error(metadata((short) 12, named(false, "no")).topics().iterator().next()))
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(error(metadata((short) 12, named(true, "not good")).topics().iterator().next()))
        .isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
    ControlPlane strict = new ControlPlane(Map.of("auto.create.topics.enable", "false"));
    MetadataResponse answer =
        strict.call(new MetadataRequest(named(true, "no"), (short) 12), MetadataResponse.class);
    assertThat(answer.errors()).containsEntry("no", Errors.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(strict.view.image().topics().isEmpty()).isTrue();
  }

  @Test
  void topics_are_found_by_id_and_all_are_listed_by_name() {
    create("b", 1);
    create("a", 1);
    Uuid id = Objects.requireNonNull(plane.view.image().topics().getTopic("b")).id();
    MetadataRequestData byId =
        new MetadataRequestData()
            .setTopics(
                List.of(
                    new MetadataRequestData.MetadataRequestTopic().setName(null).setTopicId(id),
                    new MetadataRequestData.MetadataRequestTopic()
                        .setName(null)
                        .setTopicId(new Uuid(3, 3))));
    List<MetadataResponseTopic> found = metadata((short) 13, byId).topics().stream().toList();
    assertThat(found.get(0).name()).isEqualTo("b");
    assertThat(error(found.get(1))).isEqualTo(Errors.UNKNOWN_TOPIC_ID);

    assertThat(metadata((short) 13, new MetadataRequestData().setTopics(null)).topics())
        .extracting(MetadataResponseTopic::name)
        .containsExactly("a", "b");
  }

  private void create(String name, int partitions) {
    CreateTopicsRequestData data = new CreateTopicsRequestData();
    data.topics()
        .mustAdd(
            new CreateTopicsRequestData.CreatableTopic()
                .setName(name)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) -1));
    CreateTopicsResponse answer =
        plane.call(
            new CreateTopicsRequest(data, ApiKeys.CREATE_TOPICS.latestVersion()),
            CreateTopicsResponse.class);
    assertThat(answer.errorCounts()).containsOnlyKeys(Errors.NONE);
  }

  private DescribeTopicPartitionsResponseData page(
      int limit, DescribeTopicPartitionsRequestData.@Nullable Cursor cursor, String... names) {
    List<DescribeTopicPartitionsRequestData.TopicRequest> topics = new ArrayList<>();
    for (String name : names) {
      topics.add(new DescribeTopicPartitionsRequestData.TopicRequest().setName(name));
    }
    DescribeTopicPartitionsRequestData data =
        new DescribeTopicPartitionsRequestData()
            .setTopics(topics)
            .setResponsePartitionLimit(limit)
            .setCursor(cursor);
    return plane
        .call(
            new DescribeTopicPartitionsRequest(
                data, ApiKeys.DESCRIBE_TOPIC_PARTITIONS.latestVersion()),
            DescribeTopicPartitionsResponse.class)
        .data();
  }

  @Test
  void topic_partitions_are_described_page_by_page_without_gap_or_repetition() {
    create("a", 3);
    create("b", 1);
    create("c", 4);
    for (int limit = 1; limit <= 9; limit++) {
      List<String> seen = new ArrayList<>();
      DescribeTopicPartitionsRequestData.Cursor cursor = null;
      do {
        DescribeTopicPartitionsResponseData answer = page(limit, cursor);
        answer
            .topics()
            .forEach(
                topic ->
                    topic
                        .partitions()
                        .forEach(p -> seen.add(topic.name() + "-" + p.partitionIndex())));
        var next = answer.nextCursor();
        cursor =
            next == null
                ? null
                : new DescribeTopicPartitionsRequestData.Cursor()
                    .setTopicName(next.topicName())
                    .setPartitionIndex(next.partitionIndex());
      } while (cursor != null);
      assertThat(seen)
          .as("limit " + limit)
          .containsExactly("a-0", "a-1", "a-2", "b-0", "c-0", "c-1", "c-2", "c-3");
    }
    assertThat(page(10, null, "nothing").topics().iterator().next().errorCode())
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
  }

  @Test
  void the_cluster_is_described_to_clients_but_controllers_are_elsewhere() {
    DescribeClusterResponse answer =
        plane.call(
            new DescribeClusterRequest.Builder(new DescribeClusterRequestData()).build(),
            DescribeClusterResponse.class);
    assertThat(answer.data().clusterId()).isEqualTo("cluster");
    assertThat(answer.nodes()).containsOnlyKeys(1);

    DescribeClusterResponse controllers =
        plane.call(
            new DescribeClusterRequest.Builder(
                    new DescribeClusterRequestData().setEndpointType((byte) 2))
                .build(),
            DescribeClusterResponse.class);
    assertThat(controllers.data().errorCode()).isEqualTo(Errors.MISMATCHED_ENDPOINT_TYPE.code());
  }

  private DescribeConfigsResult describe(ConfigResource.Type type, String name) {
    DescribeConfigsRequestData data =
        new DescribeConfigsRequestData()
            .setIncludeDocumentation(true)
            .setIncludeSynonyms(true)
            .setResources(
                List.of(
                    new DescribeConfigsRequestData.DescribeConfigsResource()
                        .setResourceType(type.id())
                        .setResourceName(name)));
    return plane
        .call(new DescribeConfigsRequest.Builder(data).build(), DescribeConfigsResponse.class)
        .data()
        .results()
        .get(0);
  }

  private static Map<String, DescribeConfigsResourceResult> byName(DescribeConfigsResult result) {
    Map<String, DescribeConfigsResourceResult> configs = new TreeMap<>();
    result.configs().forEach(config -> configs.put(config.name(), config));
    return configs;
  }

  private static DescribeConfigsResourceResult find(DescribeConfigsResult result, String key) {
    return Objects.requireNonNull(byName(result).get(key), key);
  }

  @Test
  void a_topics_configs_are_described_with_value_source_synonyms_and_documentation() {
    create("t", 1);
    DescribeConfigsResult result = describe(ConfigResource.Type.TOPIC, "t");

    DescribeConfigsResourceResult retention = find(result, "retention.ms");
    assertThat(retention.value()).isEqualTo("10800000");
    assertThat(retention.configSource()).isEqualTo(ConfigSource.STATIC_BROKER_CONFIG.id());
    assertThat(retention.synonyms())
        .extracting(s -> s.name() + "=" + s.value())
        .containsExactly("log.retention.hours=3", "log.retention.hours=168");
    assertThat(retention.documentation()).isNotEmpty();
    DescribeConfigsResourceResult segment = find(result, "segment.bytes");
    assertThat(segment.value()).isEqualTo("1073741824");
    assertThat(segment.configSource()).isEqualTo(ConfigSource.DEFAULT_CONFIG.id());
    DescribeConfigsResourceResult minIsr = find(result, "min.insync.replicas");
    assertThat(minIsr.value()).isEqualTo("2");
    assertThat(minIsr.configSource()).isEqualTo(ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG.id());
    assertThat(describe(ConfigResource.Type.TOPIC, "nothing").errorCode())
        .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
  }

  @Test
  void a_brokers_configs_are_described_completely_and_follow_changes() {
    DescribeConfigsResult result = describe(ConfigResource.Type.BROKER, "1");
    assertThat(result.configs()).hasSizeGreaterThan(200);
    assertThat(find(result, "num.partitions").value()).isEqualTo("2");
    assertThat(find(result, "num.partitions").readOnly()).isTrue();
    assertThat(find(result, "log.retention.ms").readOnly()).isFalse();
    assertThat(find(result, "log.dir").value()).isEqualTo("/tmp/tidemark-logs");
    assertThat(find(result, "ssl.key.password").isSensitive()).isTrue();

    setBrokerConfig("log.retention.ms", "77");
    DescribeConfigsResourceResult changed =
        find(describe(ConfigResource.Type.BROKER, "1"), "log.retention.ms");
    assertThat(changed.value()).isEqualTo("77");
    assertThat(changed.configSource()).isEqualTo(ConfigSource.DYNAMIC_BROKER_CONFIG.id());
    assertThat(byName(describe(ConfigResource.Type.BROKER, "")))
        .containsOnlyKeys("min.insync.replicas");
    assertThat(describe(ConfigResource.Type.BROKER, "9").errorCode())
        .isEqualTo(Errors.INVALID_REQUEST.code());
  }

  private void setBrokerConfig(String key, String value) {
    IncrementalAlterConfigsRequestData data = new IncrementalAlterConfigsRequestData();
    IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
        new IncrementalAlterConfigsRequestData.AlterConfigsResource()
            .setResourceType(ConfigResource.Type.BROKER.id())
            .setResourceName("1");
    resource
        .configs()
        .mustAdd(
            new IncrementalAlterConfigsRequestData.AlterableConfig().setName(key).setValue(value));
    data.resources().mustAdd(resource);
    IncrementalAlterConfigsResponse answer =
        plane.call(
            new IncrementalAlterConfigsRequest.Builder(data).build(),
            IncrementalAlterConfigsResponse.class);
    assertThat(answer.data().responses().get(0).errorCode()).isZero();
  }

  @Test
  void groups_and_client_metrics_have_their_defaults() {
    DescribeConfigsResult group = describe(ConfigResource.Type.GROUP, "g");
    assertThat(find(group, "consumer.session.timeout.ms").value()).isEqualTo("45000");
    assertThat(find(describe(ConfigResource.Type.CLIENT_METRICS, "m"), "interval.ms").value())
        .isEqualTo("300000");
  }

  private InitProducerIdResponseData initProducerId(@Nullable String transactionalId) {
    return plane
        .call(
            new InitProducerIdRequest.Builder(
                    new InitProducerIdRequestData()
                        .setTransactionalId(transactionalId)
                        .setTransactionTimeoutMs(1000))
                .build(),
            InitProducerIdResponse.class)
        .data();
  }

  @Test
  void each_idempotent_producer_gets_an_id_of_its_own_also_across_blocks() {
    for (long expected = 0; expected < 2100; expected++) {
      InitProducerIdResponseData answer = initProducerId(null);
      assertThat(answer.producerId()).isEqualTo(expected);
      assertThat(answer.producerEpoch()).isZero();
    }
  }

  @Test
  void a_transactional_producer_is_refused() {
    assertThat(initProducerId("tx").errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
  }
}
