package dev.tidemark.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Frames to spoil: what real clients sent, and one of every API in every version. */
final class FrameCorpus {
  private FrameCorpus() {}

  /** One request of each version of each client API, with all fields at their defaults. */
  static List<byte[]> ofAllVersions() {
    List<byte[]> frames = new ArrayList<>();
    for (ApiKeys api : ApiKeys.clientApis()) {
      for (short version : api.allVersions()) {
        frames.add(frame(api, version, api.messageType.newRequest()));
      }
    }
    return frames;
  }

  /** The APIs of which there is a frame. */
  static Set<ApiKeys> apisOf(List<byte[]> frames) {
    Set<ApiKeys> apis = EnumSet.noneOf(ApiKeys.class);
    for (byte[] frame : frames) {
      apis.add(ApiKeys.forId(ByteBuffer.wrap(frame).getShort()));
    }
    return apis;
  }

  /** The APIs that a broker says it answers. */
  static Set<ApiKeys> apisAnsweredAt(int port) throws IOException {
    short version = 0;
    try (FuzzPeer peer = new FuzzPeer(port)) {
      ByteBuffer answer =
          peer.ask(frame(ApiKeys.API_VERSIONS, version, new ApiVersionsRequestData()));
      Set<ApiKeys> apis = EnumSet.noneOf(ApiKeys.class);
      new ApiVersionsResponseData(new ByteBufferAccessor(answer.position(Integer.BYTES)), version)
          .apiKeys()
          .forEach(api -> apis.add(ApiKeys.forId(api.apiKey())));
      return apis;
    }
  }

  /** A whole frame without its length prefix. */
  static byte[] frame(ApiKeys api, short version, ApiMessage request) {
    RequestHeaderData header =
        new RequestHeaderData()
            .setRequestApiKey(api.id)
            .setRequestApiVersion(version)
            .setCorrelationId(1)
            .setClientId("fuzz");
    short headerVersion = api.requestHeaderVersion(version);
    ObjectSerializationCache cache = new ObjectSerializationCache();
    int size = header.size(cache, headerVersion) + request.size(cache, version);
    ByteBuffer bytes = ByteBuffer.allocate(size);
    ByteBufferAccessor writer = new ByteBufferAccessor(bytes);
    header.write(writer, cache, headerVersion);
    request.write(writer, cache, version);
    return bytes.array();
  }

  /** Lets real clients do a bit of everything against {@code bootstrap}. */
  static void drive(String bootstrap) throws ExecutionException, InterruptedException {
    Map<String, Object> config = Map.of("bootstrap.servers", bootstrap);
    try (Admin admin = Admin.create(config)) {
      admin
          .createTopics(
              List.of(new NewTopic("fuzz-a", 2, (short) 1), new NewTopic("fuzz-b", 1, (short) 1)))
          .all()
          .get();
      for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
        produce(bootstrap, codec);
      }
      for (String protocol : List.of("classic", "consumer")) {
        consume(bootstrap, protocol);
      }
      ask(admin);
    }
  }

  /** The id of the topic that the clients have used. */
  static Uuid topicId(String bootstrap) throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      return admin
          .describeTopics(List.of("fuzz-a"))
          .topicNameValues()
          .get("fuzz-a")
          .get()
          .topicId();
    }
  }

  private static void produce(String bootstrap, String codec)
      throws ExecutionException, InterruptedException {
    Map<String, Object> config =
        Map.of("bootstrap.servers", bootstrap, "compression.type", codec, "linger.ms", 5);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      byte[] text = ("some text for " + codec).getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 20; i++) {
        var unused = producer.send(new ProducerRecord<>("fuzz-a", i % 2, text, text));
      }
      producer.flush();
    }
  }

  private static void consume(String bootstrap, String protocol) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            bootstrap,
            "group.id",
            "fuzz-" + protocol,
            "group.protocol",
            protocol,
            "auto.offset.reset",
            "earliest",
            "isolation.level",
            "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of("fuzz-a"));
      long deadlineNs = System.nanoTime() + 20_000_000_000L;
      int records = 0;
      while (records < 100 && System.nanoTime() < deadlineNs) {
        records += consumer.poll(java.time.Duration.ofMillis(200)).count();
      }
      consumer.commitSync();
      consumer.offsetsForTimes(Map.of(new TopicPartition("fuzz-a", 0), 0L));
    }
  }

  private static void ask(Admin admin) throws ExecutionException, InterruptedException {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "fuzz-a");
    admin.describeConfigs(List.of(topic)).all().get();
    admin
        .incrementalAlterConfigs(
            Map.of(
                topic,
                List.of(
                    new AlterConfigOp(
                        new ConfigEntry("retention.ms", "100000"), AlterConfigOp.OpType.SET))))
        .all()
        .get();
    admin.describeCluster().nodes().get();
    admin.describeTopics(Set.of("fuzz-a", "fuzz-b")).allTopicNames().get();
    admin.listTopics().names().get();
    for (OffsetSpec spec :
        List.of(OffsetSpec.earliest(), OffsetSpec.latest(), OffsetSpec.maxTimestamp())) {
      admin.listOffsets(Map.of(new TopicPartition("fuzz-a", 0), spec)).all().get();
    }
    String folder =
        admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1).keySet().iterator().next();
    admin
        .alterReplicaLogDirs(Map.of(new TopicPartitionReplica("fuzz-a", 0, 1), folder))
        .all()
        .get();
    admin.deleteTopics(List.of("fuzz-b")).all().get();
  }
}
