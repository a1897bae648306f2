package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidUpdateVersionException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Configs and features that are changed while the release runs, with Kafka's own clients. */
class DynamicConfigsIT {
  private static final ConfigResource BROKER = new ConfigResource(ConfigResource.Type.BROKER, "1");
  private static final ConfigResource CLUSTER = new ConfigResource(ConfigResource.Type.BROKER, "");
  private static final ConfigResource LOGGERS =
      new ConfigResource(ConfigResource.Type.BROKER_LOGGER, "1");

  @Test
  void theyHaveTheirEffectAtOnceAndAreThereAgainAfterAKill() throws Exception {
    Path data = Installation.get().newFolder("data");
    try (BrokerUnderTest broker = BrokerUnderTest.start(data);
        Admin admin = admin(broker)) {
      admin.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
      set(admin, CLUSTER, "message.max.bytes", "1000");
      set(admin, BROKER, "log.retention.ms", "77777");
      assertThatThrownBy(() -> write(broker, 2000))
          .hasCauseInstanceOf(RecordTooLargeException.class);
      set(admin, CLUSTER, "message.max.bytes", "100000");
      write(broker, 2000);
      assertThatThrownBy(() -> set(admin, BROKER, "log.dirs", "/elsewhere"))
          .hasCauseInstanceOf(InvalidRequestException.class);
      admin
          .updateFeatures(
              Map.of(
                  "transaction.version",
                  new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE)),
              new UpdateFeaturesOptions())
          .all()
          .get();
      broker.kill();
    }
    try (BrokerUnderTest broker = BrokerUnderTest.start(data);
        Admin admin = admin(broker)) {
      assertThat(get(admin, BROKER, "log.retention.ms").value()).isEqualTo("77777");
      assertThat(get(admin, BROKER, "message.max.bytes").source())
          .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
      ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "t");
      assertThat(get(admin, topic, "retention.ms").value()).isEqualTo("77777");
      var features = admin.describeFeatures().featureMetadata().get().finalizedFeatures();
      assertThat(features.get("transaction.version").maxVersionLevel()).isEqualTo((short) 1);
    }
  }

  @Test
  void theLevelsOfLoggersAndTheQuorumAreAskedForWithKafkasTools() throws Exception {
    try (BrokerUnderTest broker = BrokerUnderTest.start(Installation.get().newFolder("data"));
        Admin admin = admin(broker)) {
      String logger = "dev.tidemark.broker.HostedLogs";
      config(broker, "--alter", "--add-config", logger + "=DEBUG");
      assertThat(get(admin, LOGGERS, logger).value()).isEqualTo("DEBUG");
      assertThat(config(broker, "--describe").out()).contains(logger + "=DEBUG", "root=WARN");
      config(broker, "--alter", "--delete-config", logger);
      assertThat(get(admin, LOGGERS, logger).value()).isEqualTo("WARN");

      Ran features =
          KafkaTool.run("", "FeatureCommand", "--bootstrap-server", broker.bootstrap(), "describe");
      assertThat(features.out()).contains("metadata.version", "kraft.version");
      Ran quorum =
          KafkaTool.run(
              "",
              "MetadataQuorumCommand",
              "--bootstrap-server",
              broker.bootstrap(),
              "describe",
              "--status");
      assertThat(quorum.out()).containsPattern("LeaderId:\\s+1");
      assertThatThrownBy(
              () ->
                  admin
                      .updateFeatures(
                          Map.of(
                              "no.such.feature",
                              new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.UPGRADE)),
                          new UpdateFeaturesOptions())
                      .all()
                      .get())
          .hasCauseInstanceOf(InvalidUpdateVersionException.class);
    }
  }

  private static Ran config(BrokerUnderTest broker, String... args) throws Exception {
    String[] all = java.util.Arrays.copyOf(args, args.length + 6);
    List<String> more =
        List.of(
            "--bootstrap-server",
            broker.bootstrap(),
            "--entity-type",
            "broker-loggers",
            "--entity-name",
            "1");
    for (int i = 0; i < more.size(); i++) {
      all[args.length + i] = more.get(i);
    }
    return KafkaTool.run("", "ConfigCommand", all);
  }

  private static Admin admin(BrokerUnderTest broker) {
    return Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
  }

  private static void set(Admin admin, ConfigResource resource, String key, String value)
      throws ExecutionException, InterruptedException {
    AlterConfigOp op = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(resource, List.of(op))).all().get();
  }

  private static ConfigEntry get(Admin admin, ConfigResource resource, String key)
      throws ExecutionException, InterruptedException {
    return admin.describeConfigs(List.of(resource)).all().get().get(resource).get(key);
  }

  private static void write(BrokerUnderTest broker, int bytes)
      throws ExecutionException, InterruptedException {
    Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrap());
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      var unused = producer.send(new ProducerRecord<>("t", new byte[bytes])).get();
    }
  }
}
