package dev.tidemark.fault;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A thread that reads all partitions of a topic from their begin as they grow, asks where they end
 * in between, and keeps what it saw.
 */
final class Reader {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final List<TopicPartition> partitions;
  private final KafkaConsumer<String, byte[]> consumer;
  private final Thread thread;
  private final Map<TopicPartition, TreeMap<Long, String>> seen = new HashMap<>();
  private final Map<TopicPartition, Long> ends = new HashMap<>();
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /** Starts to read; {@code rack} is where the reader is, empty for nowhere. */
  Reader(String bootstrap, String topic, int count, String rack) {
    this.partitions =
        IntStream.range(0, count).mapToObj(index -> new TopicPartition(topic, index)).toList();
    Map<String, Object> settings = new TreeMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("client.rack", rack);
    settings.put("enable.auto.commit", false);
    settings.put("auto.offset.reset", "none");
    settings.put("request.timeout.ms", 3000);
    settings.put("default.api.timeout.ms", 3000);
    this.consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
    this.thread = new Thread(this::run, "reader");
    thread.start();
  }

  private void run() {
    consumer.assign(partitions);
    partitions.forEach(partition -> consumer.seek(partition, 0));
    partitions.forEach(partition -> seen.put(partition, new TreeMap<>()));
    while (!stopped) {
      try {
        consumer.poll(POLL).forEach(this::see);
        askEnds();
      } catch (RetriableException e) {
        // A broker is gone; the next round asks another one.
      } catch (RuntimeException e) {
        violations.add("a reader failed: " + e);
        return;
      }
    }
  }

  private void see(ConsumerRecord<String, byte[]> record) {
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    TreeMap<Long, String> records = seen.get(partition);
    long expected = records.isEmpty() ? 0 : records.lastKey() + 1;
    if (record.offset() != expected) {
      violations.add(
          "%s: read offset %d where %d comes next".formatted(partition, record.offset(), expected));
    }
    records.put(record.offset(), record.key());
  }

  private void askEnds() {
    consumer
        .endOffsets(partitions, PATIENCE)
        .forEach(
            (partition, end) -> {
              Long before = ends.put(partition, end);
              if (before != null && end < before) {
                violations.add("%s: ended at %d, then at %d".formatted(partition, before, end));
              }
            });
  }

  /** Ends reading. */
  void stop() throws InterruptedException {
    stopped = true;
    thread.join();
    consumer.close();
  }

  /** What was read of a partition, by offset; after {@link #stop}. */
  Map<Long, String> seen(int partition) {
    return seen.get(partitions.get(partition));
  }

  /** What must not have happened. */
  List<String> violations() {
    return List.copyOf(violations);
  }
}
