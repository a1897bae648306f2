package dev.tidemark.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class EmbeddedBrokerTest {
  @Test
  void aGroupReadsWhatAProducerWrote() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start()) {
      Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
      try (KafkaProducer<String, String> producer =
          new KafkaProducer<>(client, new StringSerializer(), new StringSerializer())) {
        producer.send(new ProducerRecord<>("greetings", "hello, tide")).get();
      }
      assertThat(read(broker.bootstrapServers(), 1)).containsExactly("hello, tide");
    }
  }

  @Test
  void aStoppedBrokerLeavesNoThread() {
    int threadsBefore = brokerThreads();
    EmbeddedBroker.start().close();
    assertThat(brokerThreads()).isEqualTo(threadsBefore);
  }

  @Test
  void aStartThatFailsLeavesNoFolder() throws IOException {
    Set<Path> before = folders();
    assertThatThrownBy(() -> EmbeddedBroker.start(Map.of("num.partitions", "none")))
        .hasMessageContaining("num.partitions");
    assertThat(folders()).isEqualTo(before);
  }

  private static Set<Path> folders() throws IOException {
    try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return all.filter(path -> path.getFileName().toString().startsWith("tidemark-test-"))
          .collect(Collectors.toSet());
    }
  }

  private static int brokerThreads() {
    return (int)
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().matches("shard-\\d+|control|background-\\d+"))
            .count();
  }

  private static List<String> read(String bootstrap, int count) {
    List<String> read = new ArrayList<>();
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", bootstrap, "group.id", "readers", "auto.offset.reset", "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of("greetings"));
      long deadlineNs = System.nanoTime() + 20_000_000_000L;
      while (read.size() < count && System.nanoTime() < deadlineNs) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          read.add(record.value());
        }
      }
    }
    return read;
  }
}
