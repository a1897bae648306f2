package dev.tidemark.cli;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writing and reading in bulk, often enough that the JVM's second compiler takes the code of both
 * for hot: some thousand requests of each kind.
 */
final class TrainingLoad {
  private static final String TOPIC = "training-load";
  private static final int PARTITIONS = 6;
  private static final int RECORDS = 32 * 1024;
  private static final int RECORD_BYTES = 1024;
  private static final int SINGLE_RECORDS = 4_000;
  private static final int PASSES = 40;

  /** A fetch that fits the socket's buffer, and the clients' default, which does not. */
  private static final List<String> FETCH_BYTES = List.of("16384", "1048576");

  private TrainingLoad() {}

  static void carry(Admin admin, String bootstrap, short replicationFactor) throws Exception {
    NewTopic topic = new NewTopic(TOPIC, PARTITIONS, replicationFactor);
    admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
    Properties client = new Properties();
    client.setProperty("bootstrap.servers", bootstrap);
    client.setProperty("enable.metrics.push", "false");
    write(client, "1", SINGLE_RECORDS, 1);
    write(client, "16384", RECORDS, RECORD_BYTES);
    for (String bytes : FETCH_BYTES) {
      read(client, bytes);
    }
  }

  private static void write(Properties client, String batchBytes, int count, int bytes)
      throws Exception {
    Properties own = new Properties();
    own.putAll(client);
    own.setProperty("batch.size", batchBytes);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(own, new ByteArraySerializer(), new ByteArraySerializer())) {
      Future<RecordMetadata> last = null;
      for (int i = 0; i < count; i++) {
        last = producer.send(new ProducerRecord<>(TOPIC, new byte[bytes]));
      }
      producer.flush();
      if (last != null) {
        last.get(30, TimeUnit.SECONDS);
      }
    }
  }

  private static void read(Properties client, String fetchBytes) {
    Properties own = new Properties();
    own.putAll(client);
    own.setProperty("max.partition.fetch.bytes", fetchBytes);
    own.setProperty("fetch.max.wait.ms", "1"); // at the end there is nothing to wait for
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(
          IntStream.range(0, PARTITIONS).mapToObj(p -> new TopicPartition(TOPIC, p)).toList());
      for (int pass = 0; pass < PASSES; pass++) {
        consumer.seekToBeginning(consumer.assignment());
        int seen = 0;
        for (int polls = 0; seen < RECORDS && polls < RECORDS; polls++) {
          seen += consumer.poll(Duration.ofMillis(300)).count();
        }
      }
    }
  }
}
