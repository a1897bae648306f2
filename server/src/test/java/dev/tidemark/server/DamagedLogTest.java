package dev.tidemark.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the log file says of a partition whose files somebody changed under the broker. */
class DamagedLogTest {
  private static final TopicPartition TIDES = new TopicPartition("tides", 0);
  private static final int LENGTH_AT = 8;
  private static final int MAX_POLLS = 20;

  @TempDir Path folder;
  private final LogLines lines = new LogLines();
  private BrokerProcess broker;

  @BeforeEach
  void start() throws Exception {
    broker =
        BrokerProcess.start(
            Map.of("listeners", "PLAINTEXT://127.0.0.1:0", "log.dirs", folder.toString()), true);
    if (folder.resolve("tides-0").toFile().exists()) {
      return;
    }
    try (Admin admin = Admin.create(config())) {
      admin.createTopics(List.of(new NewTopic("tides", 1, (short) 1))).all().get();
    }
  }

  @AfterEach
  void stop() throws Exception {
    lines.close();
    broker.stop();
  }

  private Map<String, Object> config() {
    return Map.of(
        "bootstrap.servers",
        "127.0.0.1:" + broker.port(),
        "delivery.timeout.ms",
        "8000",
        "request.timeout.ms",
        "7000",
        "enable.idempotence",
        "false",
        "linger.ms",
        "0");
  }

  private void produce(int records) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config(), new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < records; i++) {
        producer.send(new ProducerRecord<>("tides", 0, null, new byte[100])).get();
      }
    }
  }

  private RandomAccessFile segment() throws Exception {
    return new RandomAccessFile(folder.resolve("tides-0/00000000000000000000.log").toFile(), "rw");
  }

  @Test
  void aDamageIsToldOnceHoweverOftenItIsReadAndAskedFor() throws Exception {
    produce(3);
    broker.stop();
    try (RandomAccessFile file = segment()) {
      file.seek(LENGTH_AT);
      file.writeInt(-1);
    }
    start();
    try (KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                config(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        Admin admin = Admin.create(config())) {
      consumer.assign(List.of(TIDES));
      consumer.seek(TIDES, 2);
      for (int i = 0; i < MAX_POLLS; i++) {
        assertThat(consumer.poll(Duration.ofMillis(100))).isEmpty();
      }
      assertThatThrownBy(
              () ->
                  admin
                      .listOffsets(
                          Map.of(TIDES, OffsetSpec.forTimestamp(1)),
                          new ListOffsetsOptions().timeoutMs(2_000))
                      .all()
                      .get())
          .isInstanceOf(ExecutionException.class);
    }
    assertThat(lines.with("tides-0"))
        .filteredOn(line -> line.contains("failed"))
        .singleElement()
        .asString()
        .contains("Read at 2 of tides-0 failed: ", "00000000000000000000.log");
  }

  @Test
  void aFileThatWasCutIsNotTakenForAFullDisk() throws Exception {
    produce(3);
    broker.stop();
    try (RandomAccessFile file = segment()) {
      file.setLength(file.length() - 10);
    }
    start();
    assertThatThrownBy(() -> produce(1)).isInstanceOf(ExecutionException.class);
    assertThat(lines.with("tides-0 takes no more writes"))
        .singleElement()
        .asString()
        .contains("00000000000000000000.log has ", "restore it from a copy")
        .doesNotContain("Free some space");
    awaitLine("tides-0 stays offline until a restart: ");
  }

  /** Bounded by the test's time-out. */
  private void awaitLine(String text) {
    while (lines.with(text).isEmpty()) {
      Thread.onSpinWait();
    }
  }
}
