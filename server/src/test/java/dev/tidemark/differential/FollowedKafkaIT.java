package dev.tidemark.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.log.LogId;
import dev.tidemark.server.OutsideFollower;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Our follower copies a topic of Apache Kafka's own broker: every byte of its log and the epochs
 * are the same in the end, also when the follower had records that the next leader has not.
 */
class FollowedKafkaIT {
  private static final long START_TIMEOUT_MS = 60_000;
  private static final TopicPartition TOPIC = new TopicPartition("followed", 0);

  /** Less than some batches, so that Kafka's answers end within one. */
  private static final int FETCH_BYTES = 20_000;

  private static final Map<String, String> SETTINGS =
      Map.of(
          "node.id", "1",
          "offsets.topic.replication.factor", "1",
          "transaction.state.log.num.partitions", "1",
          "transaction.state.log.replication.factor", "1",
          "transaction.state.log.min.isr", "1");

  private final Random random = new Random(7);

  @Test
  void itsLogIsKafkasByteForByteAcrossLeaderChanges(@TempDir Path work) throws Exception {
    Path ours = Files.createDirectory(work.resolve("ours"));
    try (KafkaUnderTest kafka = KafkaUnderTest.format(work.resolve("kafka"), SETTINGS)) {
      kafka.start().awaitListening(START_TIMEOUT_MS);
      Uuid id = create(kafka);
      try (OutsideFollower follower =
          new OutsideFollower(ours, new LogId(TOPIC.topic(), 0, id), FETCH_BYTES)) {
        writeAllKinds(kafka);
        int firstEpoch = follow(kafka, follower);

        kafka.kill();
        follower.appendOwn(neverSent(follower.endOffset(), firstEpoch));
        follower.appendOwn(neverSent(follower.endOffset(), firstEpoch));
        kafka.start().awaitListening(START_TIMEOUT_MS);
        writeAllKinds(kafka);
        int secondEpoch = follow(kafka, follower);
        assertThat(secondEpoch).isGreaterThan(firstEpoch);

        kafka.stop();
        kafka.start().awaitListening(START_TIMEOUT_MS);
        writeAllKinds(kafka);
        assertThat(follow(kafka, follower)).isGreaterThan(secondEpoch);
      }
      kafka.stop();
      Path theirs = kafka.data().resolve(TOPIC.toString());
      assertThat(records(ours)).isEqualTo(records(theirs)).hasSizeGreaterThan(1 << 20);
      assertThat(epochs(ours)).isEqualTo(epochs(theirs)).hasSize(3);
    }
  }

  private static Admin admin(KafkaUnderTest kafka) {
    return Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()));
  }

  private static Uuid create(KafkaUnderTest kafka) throws Exception {
    try (Admin admin = admin(kafka)) {
      NewTopic topic =
          new NewTopic(TOPIC.topic(), 1, (short) 1)
              .configs(Map.of("segment.bytes", String.valueOf(1 << 20)));
      return admin.createTopics(List.of(topic)).topicId(TOPIC.topic()).get();
    }
  }

  /** Follows the leader of now until the follower has all; returns the epoch. */
  private static int follow(KafkaUnderTest kafka, OutsideFollower follower) throws Exception {
    try (Admin admin = admin(kafka)) {
      ListOffsetsResultInfo latest =
          admin.listOffsets(Map.of(TOPIC, OffsetSpec.latest())).partitionResult(TOPIC).get();
      int epoch = latest.leaderEpoch().orElseThrow();
      follower.follow(1, kafka.port(), epoch);
      follower.awaitEnd(latest.offset());
      return epoch;
    }
  }

  private void writeAllKinds(KafkaUnderTest kafka) {
    for (String compression : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      write(kafka, Map.of("compression.type", compression, "batch.size", 40_000), 100);
    }
    write(kafka, Map.of("batch.size", 0, "enable.idempotence", false), 20);
    Map<String, Object> transactional = Map.of("transactional.id", "followed");
    try (KafkaProducer<byte[], byte[]> producer = producer(kafka, transactional)) {
      producer.initTransactions();
      for (boolean commits : new boolean[] {true, false}) {
        producer.beginTransaction();
        send(producer, 10);
        producer.flush();
        if (commits) {
          producer.commitTransaction();
        } else {
          producer.abortTransaction();
        }
      }
    }
  }

  private void write(KafkaUnderTest kafka, Map<String, Object> settings, int records) {
    try (KafkaProducer<byte[], byte[]> producer = producer(kafka, settings)) {
      send(producer, records);
    }
  }

  private void send(KafkaProducer<byte[], byte[]> producer, int records) {
    for (int i = 0; i < records; i++) {
      byte[] value = new byte[1 + random.nextInt(2_000)];
      random.nextBytes(value);
      var unused = producer.send(new ProducerRecord<>(TOPIC.topic(), new byte[] {1}, value));
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(
      KafkaUnderTest kafka, Map<String, Object> settings) {
    Map<String, Object> all = new java.util.HashMap<>(settings);
    all.put("bootstrap.servers", kafka.bootstrap());
    all.put("linger.ms", 20);
    return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static ByteBuffer neverSent(long offset, int epoch) {
    SimpleRecord record = new SimpleRecord(1L, "lost".getBytes(StandardCharsets.UTF_8));
    return MemoryRecords.withRecords(offset, Compression.NONE, epoch, record).buffer();
  }

  private static byte[] records(Path folder) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".log")).sorted().toList()) {
        all.write(Files.readAllBytes(file));
      }
    }
    return all.toByteArray();
  }

  /** Lines of an epoch and its first offset. */
  private static List<String> epochs(Path folder) throws IOException {
    List<String> lines = Files.readAllLines(folder.resolve("leader-epoch-checkpoint"));
    return lines.subList(2, lines.size());
  }
}
