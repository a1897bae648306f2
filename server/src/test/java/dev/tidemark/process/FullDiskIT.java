package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** A real full disk under a real broker. */
class FullDiskIT {
  private static final int VOLUME_MEBIBYTES = 24;
  private static final long PAGE_BYTES = 4096;
  private static final String PADDING = "x".repeat(100_000);

  private final List<String> acknowledged = new ArrayList<>();
  private int sent;

  @Test
  void aFullDiskIsToldToClientsAndOnceInTheLogAndIsOverWhenThereIsRoom() throws Exception {
    try (SmallVolume volume = SmallVolume.mount(VOLUME_MEBIBYTES)) {
      BrokerUnderTest broker = BrokerUnderTest.start(volume.root().resolve("data"));
      volume.fill(8 << 20);
      String why = writeUntilRefused(broker);
      assertThat(why).contains("tides-0", "No space left on device");
      assertThat(read(broker)).as("reads go on").isEqualTo(acknowledged);
      assertThatThrownBy(() -> create(broker, "more"))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(KafkaStorageException.class)
          .hasMessageContaining("nothing was created")
          .hasMessageContaining(volume.root().toString());

      volume.free();
      writePatiently(broker, 10);
      create(broker, "more");
      assertThat(read(broker)).isEqualTo(acknowledged);
      assertThat(broker.log().lines().filter(line -> line.contains("ERROR")))
          .singleElement()
          .asString()
          .contains("tides-0 takes no more writes", "No space left", "Free some space");
      assertThat(broker.log()).contains("tides-0 takes writes again").doesNotContain("\tat ");
      broker.kill();

      try (BrokerUnderTest again = BrokerUnderTest.start(volume.root().resolve("data"))) {
        assertThat(read(again)).isEqualTo(acknowledged);
      }
    }
  }

  @Test
  void aStartOnAFullDiskNamesTheFolderAndTheRemedy() throws Exception {
    try (SmallVolume volume = SmallVolume.mount(4)) {
      Path data = volume.root().resolve("data");
      startUntilTheNextOneNeedsRoom(data);
      volume.fillUp();
      assertFailsOnFullDisk(data);
      assertFailsOnFullDisk(volume.root().resolve("fresh"));
      volume.free();
      BrokerUnderTest.start(data).close();
    }
  }

  /**
   * Starts and kills, so that there is no clean marker whose page would do, until what a start adds
   * to the metadata log does not fit in the log's last page, which a full disk leaves it.
   */
  private static void startUntilTheNextOneNeedsRoom(Path data) throws Exception {
    Path log = data.resolve("__cluster_metadata-0/00000000000000000000.log");
    BrokerUnderTest.start(data).kill();
    long room;
    long added;
    do {
      long before = Files.size(log);
      BrokerUnderTest.start(data).kill();
      added = Files.size(log) - before;
      room = PAGE_BYTES - Files.size(log) % PAGE_BYTES;
    } while (room >= added);
  }

  @Test
  void aBrokerWhoseDataFolderIsGoneStopsWithOneLineWhyAndMakesNoOther() throws Exception {
    Path parent = Installation.get().newFolder("parent");
    Path data = parent.resolve("data");
    try (BrokerUnderTest broker = BrokerUnderTest.start(data)) {
      Files.move(data, parent.resolve("moved"));
      assertThatThrownBy(() -> create(broker, "lost"))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(KafkaStorageException.class);
      assertThat(broker.awaitExit()).isEqualTo(1);
      assertThat(broker.log().lines().filter(line -> line.contains("The broker stops")))
          .singleElement()
          .asString()
          .contains(data.toString(), "holds the metadata log", "unmounted or replaced");
      assertThat(data.resolve("lost-0")).doesNotExist();
    }
  }

  private static void assertFailsOnFullDisk(Path data) throws Exception {
    Ran ran =
        Ran.of(
            Installation.get()
                .command(
                    Map.of(),
                    "dev",
                    "--port",
                    "0",
                    "--brokers",
                    "1",
                    "--data-dir",
                    data.toString()),
            "");
    assertThat(ran.exitCode()).isEqualTo(1);
    assertThat(ran.err().strip())
        .startsWith("tidemark: ")
        .contains(data.toString(), "No space left on device", "free some space on that volume")
        .doesNotContain("\n");
  }

  private String writeUntilRefused(BrokerUnderTest broker) throws Exception {
    try (KafkaProducer<String, String> producer =
        producer(broker, Map.of("retries", 0, "enable.idempotence", false))) {
      for (int i = 0; i < VOLUME_MEBIBYTES * 10; i++) {
        try {
          write(producer);
        } catch (ExecutionException e) {
          assertThat(e.getCause()).isInstanceOf(KafkaStorageException.class);
          return e.getCause().getMessage();
        }
      }
    }
    throw new AssertionError("the disk did not fill");
  }

  private void writePatiently(BrokerUnderTest broker, int records) throws Exception {
    try (KafkaProducer<String, String> producer = producer(broker, Map.of())) {
      for (int i = 0; i < records; i++) {
        write(producer);
      }
    }
  }

  private void write(KafkaProducer<String, String> producer) throws Exception {
    String key = "record " + sent++;
    producer.send(new ProducerRecord<>("tides", key, PADDING)).get(60, TimeUnit.SECONDS);
    acknowledged.add(key);
  }

  private static KafkaProducer<String, String> producer(
      BrokerUnderTest broker, Map<String, Object> settings) {
    Map<String, Object> all = new TreeMap<>(settings);
    all.put("bootstrap.servers", broker.bootstrap());
    all.put("acks", "all");
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private static void create(BrokerUnderTest broker, String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    }
  }

  private List<String> read(BrokerUnderTest broker) {
    List<String> keys = new ArrayList<>();
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker.bootstrap(),
            "auto.offset.reset",
            "earliest",
            "enable.auto.commit",
            false);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(new org.apache.kafka.common.TopicPartition("tides", 0)));
      long giveUpNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (keys.size() < acknowledged.size() && System.nanoTime() < giveUpNs) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> keys.add(record.key()));
      }
    }
    return keys;
  }
}
