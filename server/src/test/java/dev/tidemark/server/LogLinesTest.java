package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One line for each change of state, in the words that people know from Kafka. */
class LogLinesTest {
  @TempDir Path folder;

  @Test
  void whatHappensToATopicIsToldInTheWordsPeopleGrepFor() throws Exception {
    try (LogLines lines = new LogLines()) {
      BrokerProcess broker =
          BrokerProcess.start(
              Map.of(
                  "node.id", "1",
                  "listeners", "PLAINTEXT://127.0.0.1:0",
                  "log.dirs", folder.resolve("data").toString()),
              true);
      try {
        use("127.0.0.1:" + broker.port());
      } finally {
        broker.stop();
      }
      assertThat(lines.written())
          .anyMatch(line -> line.matches("Loaded 0 logs in \\d+ms"))
          .anyMatch(line -> line.matches("Registered broker 1 with epoch \\d+"))
          .anyMatch(line -> line.startsWith("Created topic orders with topic ID "))
          .anyMatch(line -> line.startsWith("Created log for partition orders-0 in "))
          .anyMatch(
              line -> line.matches(".*partition=orders-0,.*Rolled new log segment at offset 2"))
          .anyMatch(
              line ->
                  line.endsWith(
                      "Incremented log start offset to 1 due to client delete records request"))
          .anyMatch(line -> line.startsWith("Removed topic with ID "));
      assertThat(lines.written().stream().filter(line -> line.contains("Created topic orders")))
          .as("one line for one change")
          .hasSize(1);
    }
  }

  private static void use(String bootstrap) throws Exception {
    Map<String, Object> config = Map.of("bootstrap.servers", bootstrap);
    try (Admin admin = Admin.create(config);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      admin
          .createTopics(
              List.of(
                  new NewTopic("orders", 1, (short) 1)
                      .configs(Map.of("segment.bytes", Integer.toString(1 << 20)))))
          .all()
          .get();
      for (int i = 0; i < 3; i++) {
        producer.send(new ProducerRecord<>("orders", 0, null, new byte[500_000])).get();
      }
      TopicPartition partition = new TopicPartition("orders", 0);
      admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(1))).all().get();
      admin.deleteTopics(List.of("orders")).all().get();
    }
  }
}
