package dev.tidemark.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Two members of one group share a topic, and the one that stays takes over. In the part of Kafka's
 * API that old and new versions share, like {@link ClientScenario}. Takes {@code bootstrap topic
 * group.protocol}, of which the last may be empty.
 */
public final class TwoMembersScenario implements Consumer<String[]> {
  private static final int RECORDS = 400;
  private static final int PARTITIONS = 4;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long PATIENCE_NS = Duration.ofSeconds(60).toNanos();

  private String bootstrap;
  private String topic;
  private String groupProtocol;
  private final List<String> read = new ArrayList<>();

  @Override
  public void accept(String[] args) {
    bootstrap = args[0];
    topic = args[1];
    groupProtocol = args[2];
    try {
      run();
    } catch (Exception e) {
      throw new AssertionError("the scenario failed", e);
    }
  }

  private void run() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
    }
    try (KafkaConsumer<String, String> stays = member()) {
      try (KafkaConsumer<String, String> leaves = member()) {
        List<KafkaConsumer<String, String>> both = List.of(stays, leaves);
        pollUntil(both, () -> share(stays, leaves), "two members share the partitions");
        List<String> written = write("first");
        pollUntil(both, () -> read.size() >= RECORDS, "two members read what is written");
        requireSame(written);
        both.forEach(KafkaConsumer::commitSync);
      }
      pollUntil(
          List.of(stays),
          () -> stays.assignment().size() == PARTITIONS,
          "the member that stays takes over");
      read.clear();
      List<String> more = write("second");
      pollUntil(List.of(stays), () -> read.size() >= RECORDS, "it reads what is written then");
      requireSame(more);
    }
  }

  private KafkaConsumer<String, String> member() {
    Map<String, Object> settings = new TreeMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("group.id", "pair-" + topic);
    settings.put("auto.offset.reset", "earliest");
    settings.put("enable.auto.commit", false);
    if (!groupProtocol.isEmpty()) {
      settings.put("group.protocol", groupProtocol);
    }
    KafkaConsumer<String, String> member =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    member.subscribe(List.of(topic));
    return member;
  }

  private static boolean share(
      KafkaConsumer<String, String> one, KafkaConsumer<String, String> other) {
    Set<TopicPartition> all = new HashSet<>(one.assignment());
    all.addAll(other.assignment());
    return one.assignment().size() == PARTITIONS / 2
        && other.assignment().size() == PARTITIONS / 2
        && all.size() == PARTITIONS;
  }

  private void pollUntil(
      List<KafkaConsumer<String, String>> members, BooleanSupplier condition, String what) {
    long giveUpNs = System.nanoTime() + PATIENCE_NS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > giveUpNs) {
        throw new AssertionError("not in time: " + what + " (" + topic + ")");
      }
      for (KafkaConsumer<String, String> member : members) {
        for (ConsumerRecord<String, String> record : member.poll(POLL)) {
          read.add(record.value());
        }
      }
    }
  }

  private List<String> write(String prefix) throws Exception {
    List<String> written = new ArrayList<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "acks", "all");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        String value = prefix + " " + i;
        Object unused = producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, value));
        written.add(value);
      }
      producer.flush();
    }
    return written;
  }

  /** Each record once, whoever read it. */
  private void requireSame(List<String> written) {
    if (read.size() != RECORDS || !new HashSet<>(read).equals(new HashSet<>(written))) {
      throw new AssertionError("written and read differ for " + topic);
    }
  }
}
