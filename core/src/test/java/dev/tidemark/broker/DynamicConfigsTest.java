package dev.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.env.ConnectionBounds;
import dev.tidemark.metadata.BrokerKeys;
import dev.tidemark.metadata.TopicConfigs;
import dev.tidemark.metadata.TopicKeys;
import dev.tidemark.metadata.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.DescribeConfigsRequest;
import org.apache.kafka.common.requests.DescribeConfigsResponse;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsResponse;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Configs that change while the broker runs. */
class DynamicConfigsTest {
  private static final Map<String, String> PROPERTIES = Map.of("max.connections", "70");

  private ControlPlane plane = new ControlPlane(PROPERTIES);

  private Errors alter(
      ConfigResource.Type type, String name, OpType operation, String key, @Nullable String value) {
    return alter(type, name, operation, key, value, false);
  }

  private Errors alter(
      ConfigResource.Type type,
      String name,
      OpType operation,
      String key,
      @Nullable String value,
      boolean validateOnly) {
    IncrementalAlterConfigsRequestData data =
        new IncrementalAlterConfigsRequestData().setValidateOnly(validateOnly);
    IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
        new IncrementalAlterConfigsRequestData.AlterConfigsResource()
            .setResourceType(type.id())
            .setResourceName(name);
    resource
        .configs()
        .mustAdd(
            new IncrementalAlterConfigsRequestData.AlterableConfig()
                .setName(key)
                .setConfigOperation(operation.id())
                .setValue(value));
    data.resources().mustAdd(resource);
    IncrementalAlterConfigsResponse answer =
        plane.call(
            new IncrementalAlterConfigsRequest.Builder(data).build(),
            IncrementalAlterConfigsResponse.class);
    return Errors.forCode(answer.data().responses().get(0).errorCode());
  }

  private List<String> synonyms(ConfigResource.Type type, String name, String key) {
    DescribeConfigsResourceResult found = describe(type, name, key).get(0);
    return found.synonyms().stream()
        .map(synonym -> synonym.source() + " " + synonym.name() + "=" + synonym.value())
        .toList();
  }

  private List<DescribeConfigsResourceResult> describe(
      ConfigResource.Type type, String name, String key) {
    DescribeConfigsRequestData data =
        new DescribeConfigsRequestData()
            .setIncludeSynonyms(true)
            .setResources(
                List.of(
                    new DescribeConfigsRequestData.DescribeConfigsResource()
                        .setResourceType(type.id())
                        .setConfigurationKeys(List.of(key))
                        .setResourceName(name)));
    return plane
        .call(new DescribeConfigsRequest.Builder(data).build(), DescribeConfigsResponse.class)
        .data()
        .results()
        .get(0)
        .configs();
  }

  @Test
  void the_strongest_value_of_a_broker_is_told_first_also_after_a_restart() {
    ConfigResource.Type broker = ConfigResource.Type.BROKER;
    assertThat(alter(broker, "", OpType.SET, "max.connections", "80")).isEqualTo(Errors.NONE);
    assertThat(alter(broker, "1", OpType.SET, "max.connections", "90")).isEqualTo(Errors.NONE);
    plane = plane.restarted(PROPERTIES);
    assertThat(synonyms(broker, "1", "max.connections"))
        .containsExactly(
            "2 max.connections=90",
            "3 max.connections=80",
            "4 max.connections=70",
            "5 max.connections=2147483647");
    assertThat(alter(broker, "1", OpType.DELETE, "max.connections", null)).isEqualTo(Errors.NONE);
    assertThat(synonyms(broker, "1", "max.connections").get(0)).isEqualTo("3 max.connections=80");
  }

  @Test
  void limits_of_connections_follow_the_configs_and_fall_back_to_the_file() {
    List<String> told = new ArrayList<>();
    LiveSettings live =
        new LiveSettings(
            BrokerSettings.parse(PROPERTIES),
            new ConnectionBounds() {
              @Override
              public void maxConnections(int count) {
                told.add("all " + count);
              }

              @Override
              public void maxConnectionsPerIp(int count) {
                told.add("ip " + count);
              }
            });
    plane.view.addListener(live);
    live.apply(plane.view.image());
    ConfigResource.Type broker = ConfigResource.Type.BROKER;
    alter(broker, "", OpType.SET, "max.connections.per.ip", "5");
    alter(broker, "1", OpType.SET, "max.connections", "60");
    alter(broker, "1", OpType.DELETE, "max.connections", null);
    assertThat(told)
        .containsExactly(
            "all 70", "ip 2147483647", "all 70", "ip 5", "all 60", "ip 5", "all 70", "ip 5");
  }

  @Test
  void the_levels_of_loggers_change_at_once_and_only_with_good_requests() {
    ConfigResource.Type logger = ConfigResource.Type.BROKER_LOGGER;
    String name = "dev.tidemark.log";
    assertThat(alter(logger, "1", OpType.SET, name, "DEBUG", true)).isEqualTo(Errors.NONE);
    assertThat(plane.logLevels.levels()).containsEntry(name, "INFO");
    assertThat(alter(logger, "1", OpType.SET, name, "DEBUG")).isEqualTo(Errors.NONE);
    assertThat(plane.logLevels.levels()).containsEntry(name, "DEBUG");
    assertThat(describe(logger, "1", name))
        .singleElement()
        .satisfies(config -> assertThat(config.value()).isEqualTo("DEBUG"));
    assertThat(alter(logger, "1", OpType.SET, name, "LOUD")).isEqualTo(Errors.INVALID_CONFIG);
    assertThat(alter(logger, "1", OpType.SET, "none", "INFO")).isEqualTo(Errors.INVALID_CONFIG);
    assertThat(alter(logger, "1", OpType.APPEND, name, "INFO")).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(alter(logger, "1", OpType.DELETE, "root", null)).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(alter(logger, "2", OpType.SET, name, "INFO")).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(plane.logLevels.levels()).containsEntry(name, "DEBUG");
    assertThat(alter(logger, "1", OpType.DELETE, name, null)).isEqualTo(Errors.NONE);
    assertThat(plane.logLevels.levels()).containsEntry(name, "INFO");
  }

  @Test
  void client_metrics_are_kept_told_and_checked() {
    ConfigResource.Type metrics = ConfigResource.Type.CLIENT_METRICS;
    assertThat(alter(metrics, "sub", OpType.SET, "interval.ms", "60000")).isEqualTo(Errors.NONE);
    plane = plane.restarted(PROPERTIES);
    assertThat(describe(metrics, "sub", "interval.ms").get(0).value()).isEqualTo("60000");
    assertThat(alter(metrics, "sub", OpType.SET, "interval.ms", "1"))
        .isEqualTo(Errors.INVALID_REQUEST);
    assertThat(alter(metrics, "sub", OpType.SET, "other", "1")).isEqualTo(Errors.INVALID_REQUEST);
    assertThat(alter(metrics, "sub", OpType.SET, "match", "nonsense"))
        .isEqualTo(Errors.INVALID_CONFIG);
  }

  @Test
  void a_groups_configs_keep_the_brokers_bounds() {
    ConfigResource.Type group = ConfigResource.Type.GROUP;
    String key = "consumer.session.timeout.ms";
    assertThat(alter(group, "g", OpType.SET, key, "46000")).isEqualTo(Errors.NONE);
    assertThat(alter(group, "g", OpType.SET, key, "1")).isEqualTo(Errors.INVALID_CONFIG);
    assertThat(describe(group, "g", key).get(0).value()).isEqualTo("46000");
  }

  @Test
  void blanks_and_control_characters_around_a_value_are_no_part_of_it() {
    plane.groups.coordinator(); // it applies the configs of groups from now on
    createTopic("t");
    List<String> set = new ArrayList<>();
    set.addAll(setPadded(ConfigResource.Type.TOPIC, "t", TopicKeys.keys()));
    set.addAll(setPadded(ConfigResource.Type.BROKER, "", BrokerKeys.keys()));
    set.addAll(setPadded(ConfigResource.Type.GROUP, "g", GroupConfig.CONFIG_DEF.configKeys()));
    assertThat(set)
        .contains("segment.bytes", "producer.id.expiration.ms", "consumer.session.timeout.ms");
    TopicSettings settings =
        new TopicConfigs(1, PROPERTIES, 1).of(plane.view.image(), "t"); // as a partition has them
    assertThat(settings.log().producerIdExpirationMs()).isEqualTo(86_400_000);
    assertThat(settings.log().segmentBytes()).isEqualTo(1 << 30);
    assertThat(describe(ConfigResource.Type.GROUP, "g", "consumer.session.timeout.ms").get(0))
        .returns("45000", DescribeConfigsResourceResult::value);
  }

  /** Sets each key to its default with blanks around; those that were taken. */
  private List<String> setPadded(
      ConfigResource.Type type, String name, Map<String, ConfigKey> keys) {
    List<String> taken = new ArrayList<>();
    for (ConfigKey key : new TreeMap<>(keys).values()) {
      String value =
          key.hasDefault() ? ConfigDef.convertToString(key.defaultValue, key.type) : null;
      if (value != null
          && alter(type, name, OpType.SET, key.name, " " + value + "\u0001") == Errors.NONE) {
        taken.add(key.name);
      }
    }
    return taken;
  }

  @Test
  void the_rates_of_throttles_are_bytes_and_told_once_they_are_set() {
    ConfigResource.Type broker = ConfigResource.Type.BROKER;
    for (String side : List.of("leader", "follower")) {
      String key = side + ".replication.throttled.rate";
      assertThat(describe(broker, "1", key)).isEmpty();
      assertThat(alter(broker, "1", OpType.SET, key, "-1")).isEqualTo(Errors.INVALID_REQUEST);
      assertThat(alter(broker, "1", OpType.SET, key, "fast")).isEqualTo(Errors.INVALID_REQUEST);
      assertThat(alter(broker, "1", OpType.SET, key, "1000")).isEqualTo(Errors.NONE);
      assertThat(alter(broker, "", OpType.SET, key, "0")).isEqualTo(Errors.NONE);
      assertThat(synonyms(broker, "1", key))
          .containsExactly("2 " + key + "=1000", "3 " + key + "=0");
      assertThat(describe(broker, "", key).get(0).value()).isEqualTo("0");
      assertThat(describe(broker, "1", key).get(0).readOnly()).isFalse();
    }
  }

  @Test
  void the_throttled_replicas_of_a_topic_are_pairs_or_a_star() {
    createTopic("t");
    ConfigResource.Type topic = ConfigResource.Type.TOPIC;
    for (String side : List.of("leader", "follower")) {
      String key = side + ".replication.throttled.replicas";
      for (String good : List.of("*", "0:1", "0:1,3:2", "")) {
        assertThat(alter(topic, "t", OpType.SET, key, good)).as(good).isEqualTo(Errors.NONE);
      }
      for (String bad : List.of("0", "0:1,*", "0:one", "0-1", "none")) {
        assertThat(alter(topic, "t", OpType.SET, key, bad))
            .as(bad)
            .isEqualTo(Errors.INVALID_CONFIG);
      }
      assertThat(alter(topic, "t", OpType.SET, key, "0:1")).isEqualTo(Errors.NONE);
      assertThat(alter(topic, "t", OpType.APPEND, key, "1:1")).isEqualTo(Errors.NONE);
      assertThat(describe(topic, "t", key).get(0).value()).isEqualTo("0:1,1:1");
    }
  }

  private void createTopic(String name) {
    CreateTopicsRequestData data = new CreateTopicsRequestData();
    data.topics()
        .add(
            new CreateTopicsRequestData.CreatableTopic()
                .setName(name)
                .setNumPartitions(1)
                .setReplicationFactor((short) 1));
    CreateTopicsResponse answer =
        plane.call(new CreateTopicsRequest.Builder(data).build(), CreateTopicsResponse.class);
    assertThat(answer.data().topics().find(name).errorCode()).isZero();
  }
}
