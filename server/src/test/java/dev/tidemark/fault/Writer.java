package dev.tidemark.fault;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A thread that writes numbered records to all partitions of a topic with an idempotent producer
 * and acks=all, and keeps what was acknowledged.
 */
final class Writer {
  private static final int MAX_VALUE_BYTES = 1500;
  private static final long PAUSE_MS = 2;

  private final String name;
  private final String topic;
  private final int partitions;
  private final Random random;
  private final KafkaProducer<String, byte[]> producer;
  private final Thread thread;
  private final ConcurrentLinkedQueue<Acknowledged> acknowledged = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /** A record that the cluster promised to keep. */
  record Acknowledged(int partition, long offset, String key) {}

  /** Starts to write; the writer's name is the first part of all its keys. */
  Writer(String name, String bootstrap, String topic, int partitions, long seed) {
    this.name = name;
    this.topic = topic;
    this.partitions = partitions;
    this.random = new Random(seed);
    Map<String, Object> settings = new TreeMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("acks", "all");
    settings.put("linger.ms", 5);
    settings.put("request.timeout.ms", 3000);
    settings.put("delivery.timeout.ms", 120_000);
    this.producer =
        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer());
    this.thread = new Thread(this::run, "writer-" + name);
    thread.start();
  }

  private void run() {
    try {
      for (long number = 0; !stopped; number++) {
        for (int partition = 0; partition < partitions; partition++) {
          send(partition, "%s-%d".formatted(name, number));
        }
        Thread.sleep(PAUSE_MS); // load, not as much as goes: the nodes share the machine
      }
      producer.flush();
    } catch (Exception e) {
      failures.add(e);
    }
  }

  private void send(int partition, String key) {
    byte[] value = new byte[random.nextInt(MAX_VALUE_BYTES)];
    byte[] start = key.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(start, 0, value, 0, Math.min(start.length, value.length));
    var unused =
        producer.send(
            new ProducerRecord<>(topic, partition, key, value),
            (metadata, failure) -> onEnd(metadata, key, failure));
  }

  private void onEnd(RecordMetadata metadata, String key, Exception failure) {
    if (failure == null) {
      acknowledged.add(new Acknowledged(metadata.partition(), metadata.offset(), key));
    } else if (!(failure instanceof TimeoutException)) {
      failures.add(failure);
    }
  }

  /** Ends writing once all that was sent has an end. */
  void stop() throws InterruptedException {
    stopped = true;
    thread.join(TimeUnit.SECONDS.toMillis(150));
    if (thread.isAlive()) {
      throw new AssertionError(name + " cannot end: what it sent has neither answer nor time-out");
    }
    producer.close();
  }

  /** Ends writing without waiting for answers. */
  void abandon() {
    stopped = true;
    producer.close(Duration.ZERO);
  }

  List<Acknowledged> acknowledged() {
    return List.copyOf(acknowledged);
  }

  /** What went wrong beside time-outs, after which nothing is known of a record. */
  List<Exception> failures() {
    return List.copyOf(failures);
  }
}
