package dev.tidemark.broker.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.ClusterSettings;
import dev.tidemark.metadata.BrokerKeys;
import dev.tidemark.quorum.QuorumAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.junit.jupiter.api.Test;

class BrokerSettingsTest {
  /** Keys whose default is not Kafka's; docs/configuration.md gives the reasons. */
  private static final Set<String> OTHER_DEFAULT =
      Set.of(
          "process.roles",
          "node.id",
          "controller.listener.names",
          "controller.quorum.election.timeout.ms",
          "controller.quorum.fetch.timeout.ms",
          "log.dir",
          "queued.max.request.bytes",
          "default.replication.factor");

  @Test
  void every_honoured_key_is_one_of_kafkas_with_the_same_default() {
    for (Setting<?> setting : kafkasKeys()) {
      ConfigKey key = Objects.requireNonNull(BrokerKeys.find(setting.name()), setting.name());
      if (!OTHER_DEFAULT.contains(setting.name())) {
        Object kafkas = key.defaultValue;
        Object ours =
            setting.defaultValue() instanceof List<?> list && key.type == ConfigDef.Type.STRING
                ? String.join(",", list.stream().map(Objects::toString).toList())
                : setting.defaultValue();
        assertThat(ours).as(setting.name()).isEqualTo(kafkas);
      }
    }
  }

  @Test
  void every_honoured_key_accepts_kafkas_own_default() {
    for (Setting<?> setting : kafkasKeys()) {
      ConfigKey key = Objects.requireNonNull(BrokerKeys.find(setting.name()));
      if (key.hasDefault() && key.defaultValue != null && key.defaultValue != "") {
        String text = ConfigDef.convertToString(key.defaultValue, key.type);
        assertThat(setting.parse(Objects.requireNonNull(text))).as(setting.name()).isNotNull();
      }
    }
  }

  private static List<Setting<?>> kafkasKeys() {
    return HonouredSettings.all().stream()
        .filter(setting -> !setting.name().startsWith("tidemark."))
        .toList();
  }

  @Test
  void an_http_listener_needs_a_host_and_a_port() {
    String key = HonouredSettings.TIDEMARK_HTTP_LISTENER.name();
    assertThat(BrokerSettings.parse(Map.of(key, "[::1]:80")).httpListener())
        .contains(new HostPort("::1", 80));
    assertThat(BrokerSettings.parse(Map.of(key, ":0")).httpListener())
        .contains(new HostPort("", 0));
    for (String bad : List.of("9404", "localhost:", "localhost:65536", "::1:80", "http://a:80")) {
      assertThatThrownBy(() -> BrokerSettings.parse(Map.of(key, bad)))
          .as(bad)
          .isInstanceOf(InvalidSetting.class)
          .hasMessageContaining(key)
          .hasMessageContaining("HOST:PORT");
    }
  }

  @Test
  void an_empty_file_gives_the_defaults_without_a_warning() {
    BrokerSettings settings = BrokerSettings.parse(Map.of());

    assertThat(settings.warnings()).isEmpty();
    assertThat(settings.nodeId()).isEqualTo(1);
    assertThat(settings.listeners()).extracting(Object::toString).containsOnly("PLAINTEXT://:9092");
    assertThat(settings.numPartitions()).isEqualTo(1);
    assertThat(settings.logDirs()).containsExactly("/tmp/tidemark-logs");
  }

  @Test
  void the_sample_file_of_kafka_is_accepted() {
    BrokerSettings settings =
        BrokerSettings.parse(
            Map.of(
                "process.roles", "broker,controller",
                "node.id", "3",
                "listeners", "PLAINTEXT://:9092,CONTROLLER://:9093",
                "advertised.listeners", "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
                "controller.listener.names", "CONTROLLER",
                "listener.security.protocol.map",
                    "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL",
                "log.dirs", "/a, /b",
                "num.network.threads", "3"));

    assertThat(settings.nodeId()).isEqualTo(3);
    assertThat(settings.logDirs()).containsExactly("/a", "/b");
    assertThat(settings.listeners()).hasSize(1);
    assertThat(settings.advertisedListeners().get(0).host()).isEqualTo("localhost");
    assertThat(settings.allListeners().controllers())
        .extracting(Object::toString)
        .containsExactly("CONTROLLER://:9093");
    assertThat(settings.allListeners().advertisedControllers().get(0).host())
        .isEqualTo("localhost");
    assertThat(settings.cluster().isAlone()).isFalse();
    assertThat(settings.warnings())
        .containsExactly(
            "num.network.threads is a key of Kafka that has no effect in Tidemark; it is ignored.");
  }

  @Test
  void a_node_that_is_only_a_broker_is_told_where_controllers_are() {
    Map<String, String> broker =
        Map.of("process.roles", "broker", "controller.listener.names", "CONTROLLER");
    assertThatThrownBy(() -> BrokerSettings.parse(broker))
        .hasMessageContaining("controller.quorum.bootstrap.servers");
    Map<String, String> told = new TreeMap<>(broker);
    told.put("controller.quorum.bootstrap.servers", "a:1, [::1]:2");
    ClusterSettings settings = BrokerSettings.parse(told).cluster();
    assertThat(settings.isController()).isFalse();
    assertThat(settings.controllerListener()).isEqualTo("CONTROLLER");
    assertThat(settings.interBrokerListener()).isEqualTo("PLAINTEXT");
    assertThat(settings.bootstrapServers())
        .containsExactly(new QuorumAddress("a", 1), new QuorumAddress("::1", 2));
    told.put("listeners", "PLAINTEXT://:9092,CONTROLLER://:9093");
    assertThatThrownBy(() -> BrokerSettings.parse(told)).hasMessageContaining("only a broker");
  }

  @Test
  void a_node_that_is_only_a_controller_listens_to_controllers_alone() {
    Map<String, String> controller = new TreeMap<>();
    controller.put("process.roles", "controller");
    controller.put("controller.listener.names", "CONTROLLER");
    controller.put("listeners", "CONTROLLER://:9093");
    BrokerSettings settings = BrokerSettings.parse(controller);
    assertThat(settings.listeners()).isEmpty();
    assertThat(settings.cluster().interBrokerListener()).isEmpty();
    controller.put("listeners", "CONTROLLER://:9093,PLAINTEXT://:9092");
    assertThatThrownBy(() -> BrokerSettings.parse(controller))
        .hasMessageContaining("no listener for clients");
  }

  @Test
  void a_controller_without_the_listener_that_is_named_is_refused_and_no_cluster_by_itself() {
    Map<String, String> node = new TreeMap<>();
    node.put("controller.listener.names", "CONTROLER");
    node.put("listeners", "PLAINTEXT://:9092,PLAINTEXT2://:9093");
    node.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,PLAINTEXT2:PLAINTEXT");
    assertThatThrownBy(() -> BrokerSettings.parse(node))
        .isInstanceOf(InvalidSetting.class)
        .hasMessageContaining("listeners")
        .hasMessageContaining("controller.listener.names names, which is 'CONTROLER'");
  }

  @Test
  void voters_in_the_file_are_refused_with_what_to_do_unless_it_is_this_node_alone() {
    assertThat(
            BrokerSettings.parse(Map.of("controller.quorum.voters", "1@localhost:9093")).warnings())
        .isEmpty();
    for (String voters : List.of("2@localhost:9093", "1@a:9093,2@b:9093")) {
      assertThatThrownBy(() -> BrokerSettings.parse(Map.of("controller.quorum.voters", voters)))
          .isInstanceOf(InvalidSetting.class)
          .hasMessageContaining("controller.quorum.bootstrap.servers")
          .hasMessageContaining("--initial-controllers");
    }
  }

  @Test
  void heartbeats_come_at_least_twice_within_a_session() {
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("broker.session.timeout.ms", "3000")))
        .hasMessageContaining("broker.heartbeat.interval.ms")
        .hasMessageContaining("3000");
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("tidemark.leader.lease", "no")))
        .hasMessageContaining("must be one of on, off");
  }

  @Test
  void an_unknown_key_is_warned_of_with_the_nearest_known_one() {
    assertThat(BrokerSettings.parse(Map.of("num.partitons", "3")).warnings())
        .containsExactly("Unknown key num.partitons; it is ignored. Did you mean num.partitions?");
    assertThat(BrokerSettings.parse(Map.of("qqq", "3")).warnings())
        .containsExactly("Unknown key qqq; it is ignored.");
  }

  @Test
  void a_key_that_is_only_set_while_brokers_run_is_warned_of_with_the_command_that_sets_it() {
    assertThat(BrokerSettings.parse(Map.of("leader.replication.throttled.rate", "1000")).warnings())
        .containsExactly(
            "leader.replication.throttled.rate=1000 of this file does not count, it is set while brokers run: with 'tidemark config set --cluster leader.replication.throttled.rate=1000' (or --broker ID).");
  }

  @Test
  void a_value_that_the_cluster_keeps_is_warned_of_with_the_command_that_sets_it() {
    assertThat(BrokerSettings.parse(Map.of("min.insync.replicas", "1")).warnings())
        .containsExactly(
            "min.insync.replicas=1 of this file does not count, the cluster's metadata has a value"
                + " for all brokers; set it there with 'tidemark config set --cluster"
                + " min.insync.replicas=1' (or --topic NAME) and take it out of the file.");
  }

  @Test
  void a_bad_value_is_refused_with_key_value_and_range() {
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("num.partitions", "0")))
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("Invalid value '0' for num.partitions: must be a whole number of at least 1.");
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("compression.gzip.level", "12")))
        .hasMessage(
            "Invalid value '12' for compression.gzip.level: must be a whole number from -1 to 9.");
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("process.roles", "broker")))
        .hasMessageContaining("must be told the name of the controllers' listener");
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("auto.create.topics.enable", "yes")))
        .hasMessageContaining("must be true or false");
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("offsets.topic.num.partitions", "none")))
        .hasMessageContaining("offsets.topic.num.partitions")
        .hasMessageContaining("none");
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("listeners", "PLAINTEXT://host")))
        .hasMessageContaining("NAME://HOST:PORT");
    assertThatThrownBy(() -> BrokerSettings.parse(Map.of("listeners", "SSL://:9093")))
        .hasMessageContaining("only PLAINTEXT is");
    assertThatThrownBy(
            () -> BrokerSettings.parse(Map.of("advertised.listeners", "PLAINTEXT://0.0.0.0:1")))
        .hasMessageContaining("clients can connect to");
  }

  @Test
  void a_listener_on_an_ipv6_address_is_understood() {
    BrokerSettings settings = BrokerSettings.parse(Map.of("listeners", "PLAINTEXT://[::1]:0"));

    assertThat(settings.listeners().get(0).host()).isEqualTo("::1");
    assertThat(settings.listeners().get(0)).hasToString("PLAINTEXT://[::1]:0");
  }

  @Test
  void the_edit_distance_counts_inserted_deleted_and_replaced_letters() {
    assertThat(NearestName.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(NearestName.distance("", "abc")).isEqualTo(3);
    assertThat(NearestName.distance("same", "same")).isZero();
  }
}
