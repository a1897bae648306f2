package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Real clients on a compacted topic; Kafka's own tool on what compaction leaves. */
class CompactionIT {
  private static final int KEYS = 100;
  private static final int RECORDS = 30_000;
  private static final TopicPartition PARTITION = new TopicPartition("latest", 0);

  @Test
  void aCompactedTopicShrinksAndReadsAsItsLatestValuesAlsoAfterAKill() throws Exception {
    Path data = Installation.get().newFolder("data");
    BrokerUnderTest broker = BrokerUnderTest.start(data);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      NewTopic topic = new NewTopic(PARTITION.topic(), 1, (short) 1);
      topic.configs(Map.of("cleanup.policy", "compact", "internal.segment.bytes", "30000"));
      admin.createTopics(List.of(topic)).all().get();
      Map<String, String> expected = write(broker);
      long full = sizeInBytes(admin);
      long giveUpNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (sizeInBytes(admin) > full / 4 && System.nanoTime() < giveUpNs) {
        Thread.onSpinWait();
      }
      assertThat(sizeInBytes(admin)).isLessThanOrEqualTo(full / 4);
      assertThat(read(broker)).isEqualTo(expected);
      broker.kill();

      try (BrokerUnderTest again = BrokerUnderTest.start(data)) {
        assertThat(read(again)).isEqualTo(expected);
        assertThat(again.log()).doesNotContain("ERROR");
      }
    }
    assertThat(CrashIT.dumpFindsNothingWrong(data))
        .as("of snapshots of producers")
        .contains("currentTxnFirstOffset");
  }

  private static Map<String, String> write(BrokerUnderTest broker) {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", broker.bootstrap(), "compression.type", "lz4", "batch.size", 2000);
    Map<String, String> latest = new HashMap<>();
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        String key = "key " + i % KEYS;
        String value = i % 7 == 0 ? null : "value " + i;
        Object unused = producer.send(new ProducerRecord<>(PARTITION.topic(), key, value));
        latest.put(key, value == null ? "" : value);
      }
    }
    latest.values().removeIf(String::isEmpty);
    return latest;
  }

  private static long sizeInBytes(Admin admin) throws Exception {
    return admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1).values().stream()
        .mapToLong(dir -> dir.replicaInfos().get(PARTITION).size())
        .sum();
  }

  private static Map<String, String> read(BrokerUnderTest broker) {
    Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrap());
    Map<String, String> latest = new HashMap<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
      long giveUpNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (consumer.position(PARTITION) < end && System.nanoTime() < giveUpNs) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          if (record.value() == null) {
            latest.remove(record.key());
          } else {
            latest.put(record.key(), record.value());
          }
        }
      }
      assertThat(consumer.position(PARTITION)).isEqualTo(end).isEqualTo(RECORDS);
    }
    return latest;
  }
}
