package dev.tidemark.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A healthy client beside the others: it can write and read, and reads all it ever wrote. */
final class Canary implements AutoCloseable {
  private static final String TOPIC = "canary-in-the-mine";
  private static final Set<String> KEPT =
      Set.of(TOPIC, "fuzz-a", "fuzz-sample", "__consumer_offsets");
  private static final long READ_TIMEOUT_NS = 20_000_000_000L;

  private final List<String> stored = new ArrayList<>();
  private final Admin admin;
  private final KafkaProducer<String, String> producer;
  private final KafkaConsumer<String, String> consumer;

  Canary(String bootstrap) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            bootstrap,
            "max.block.ms",
            20_000,
            "delivery.timeout.ms",
            30_000,
            "request.timeout.ms",
            20_000);
    admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer());
    consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
  }

  /** Writes {@code line}, then reads all from the beginning. */
  void sing(String line) {
    try {
      producer.send(new ProducerRecord<>(TOPIC, 0, null, line)).get();
      stored.add(line);
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError("a healthy producer failed " + line, e);
    }
    assertThat(read()).as(line).isEqualTo(stored);
  }

  private List<String> read() {
    List<String> read = new ArrayList<>();
    consumer.seekToBeginning(consumer.assignment());
    long deadlineNs = System.nanoTime() + READ_TIMEOUT_NS;
    while (read.size() < stored.size() && System.nanoTime() < deadlineNs) {
      for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
        read.add(record.value());
      }
    }
    return read;
  }

  /** Deletes the topics and the groups that spoiled frames have created. */
  void tidyUp() {
    try {
      Set<String> topics = new HashSet<>(admin.listTopics().names().get());
      topics.removeAll(KEPT);
      admin.deleteTopics(topics).all().get();
      deleteGroups(admin.listGroups().all().get().stream().map(GroupListing::groupId).toList());
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError("topics cannot be deleted", e);
    }
  }

  /** Those that still have members are refused; they will have none the next time. */
  private void deleteGroups(List<String> groups) {
    for (KafkaFuture<Void> deleted : admin.deleteConsumerGroups(groups).deletedGroups().values()) {
      deleted
          .toCompletionStage()
          .toCompletableFuture()
          .handle((done, refused) -> refused == null)
          .join();
    }
  }

  @Override
  public void close() {
    admin.close();
    producer.close();
    consumer.close();
  }
}
