package dev.tidemark.process;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What an application does with Kafka's Java client, in the part of its API that old and new
 * versions share, so that it can be loaded with either. Takes {@code bootstrap topic codec
 * group.protocol}.
 */
public final class ClientScenario implements Consumer<String[]> {
  private static final int RECORDS = 2_000;
  private static final int PARTITIONS = 3;

  @Override
  public void accept(String[] args) {
    try {
      run(args[0], args[1], args[2], args[3]);
    } catch (Exception e) {
      throw new AssertionError("the scenario failed", e);
    }
  }

  private static void run(String bootstrap, String topic, String codec, String groupProtocol)
      throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
    }
    Map<Integer, List<String>> written = write(bootstrap, topic, codec);
    Map<Integer, List<String>> read = read(bootstrap, topic, "g-" + topic, groupProtocol, RECORDS);
    if (!written.equals(read)) {
      throw new AssertionError("written and read differ for " + topic);
    }
    // The group has committed what it read: a second member finds nothing new but what comes now.
    Map<Integer, List<String>> more = write(bootstrap, topic, codec);
    Map<Integer, List<String>> readNext =
        read(bootstrap, topic, "g-" + topic, groupProtocol, RECORDS);
    if (!more.equals(readNext)) {
      throw new AssertionError("the group did not go on where it was for " + topic);
    }
  }

  private static Map<Integer, List<String>> write(String bootstrap, String topic, String codec)
      throws Exception {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            bootstrap,
            "acks",
            "all",
            "enable.idempotence",
            true,
            "linger.ms",
            2,
            "compression.type",
            codec);
    Map<Integer, List<String>> written = new TreeMap<>();
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      List<java.util.concurrent.Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        ProducerRecord<String, String> record =
            new ProducerRecord<>(topic, "key-" + i % 50, "value " + i);
        record.headers().add("number", String.valueOf(i).getBytes(StandardCharsets.UTF_8));
        sent.add(producer.send(record));
      }
      for (int i = 0; i < RECORDS; i++) {
        RecordMetadata metadata = sent.get(i).get();
        written
            .computeIfAbsent(metadata.partition(), p -> new ArrayList<>())
            .add(metadata.offset() + " key-" + i % 50 + " value " + i + " " + i);
      }
    }
    return written;
  }

  private static Map<Integer, List<String>> read(
      String bootstrap, String topic, String group, String groupProtocol, int expected) {
    Map<String, Object> settings = new TreeMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("group.id", group);
    settings.put("auto.offset.reset", "earliest");
    settings.put("enable.auto.commit", false);
    if (!groupProtocol.isEmpty()) {
      settings.put("group.protocol", groupProtocol);
    }
    Map<Integer, List<String>> read = new TreeMap<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      long giveUpNs = System.nanoTime() + Duration.ofSeconds(40).toNanos();
      int count = 0;
      while (count < expected && System.nanoTime() < giveUpNs) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          String number =
              new String(record.headers().lastHeader("number").value(), StandardCharsets.UTF_8);
          read.computeIfAbsent(record.partition(), p -> new ArrayList<>())
              .add(record.offset() + " " + record.key() + " " + record.value() + " " + number);
          count++;
        }
      }
      consumer.commitSync();
    }
    return read;
  }
}
