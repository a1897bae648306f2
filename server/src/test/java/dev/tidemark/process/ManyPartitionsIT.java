package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/**
 * Ten thousand partitions on one node. What is promised is measured alone on a machine (see
 * docs/performance.md); here bounds are several times as wide, since a build shares its machine.
 */
class ManyPartitionsIT {
  private static final String TOPIC = "many";
  private static final int PARTITIONS = 10_000;

  /** Files that a broker has open with no partition at all, jars among them, and some more. */
  private static final int FEW_FILES = 150;

  private static final long CREATED_WITHIN_MS = 30_000;
  private static final long READY_WITHIN_MS = 15_000;
  private static final long READY_AFTER_KILL_WITHIN_MS = 30_000;

  @Test
  void theyAreCreatedWrittenLeftAloneAndThereAgainAfterAStopAndAfterAKill() throws Exception {
    Path data = Installation.get().newFolder("many");
    BrokerUnderTest broker = BrokerUnderTest.start(data);
    create(broker);
    write(broker);
    awaitFewOpenFiles(broker);
    report("stopped", timeMs(() -> assertThat(broker.stop()).isZero()));
    dumpFindsNothingWrong(data);

    BrokerUnderTest again = BrokerUnderTest.start(data);
    report("ready after a stop", again.readyAfterMs());
    assertThat(again.readyAfterMs()).isLessThan(READY_WITHIN_MS);
    assertThat(openFiles(again)).isLessThan(FEW_FILES);
    assertEnds(again, 1);
    write(again);
    again.kill();

    try (BrokerUnderTest third = BrokerUnderTest.start(data)) {
      report("ready after a kill", third.readyAfterMs());
      assertThat(third.readyAfterMs()).isLessThan(READY_AFTER_KILL_WITHIN_MS);
      assertEnds(third, 2);
    }
    // So many files that the end of all tests would wait for them.
    Ran unused = Ran.of(new ProcessBuilder("rm", "-rf", data.toString()), "").requireSuccess();
  }

  private static void create(BrokerUnderTest broker) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      NewTopic topic = new NewTopic(TOPIC, PARTITIONS, (short) 1);
      long ms =
          timeMs(
              () -> {
                admin.createTopics(List.of(topic)).all().get(60, TimeUnit.SECONDS);
                List<TopicPartitionInfo> partitions =
                    admin
                        .describeTopics(List.of(TOPIC))
                        .allTopicNames()
                        .get(60, TimeUnit.SECONDS)
                        .get(TOPIC)
                        .partitions();
                assertThat(partitions).hasSize(PARTITIONS).allMatch(p -> p.leader() != null);
              });
      report("created and led", ms);
      assertThat(ms).isLessThan(CREATED_WITHIN_MS);
    }
  }

  private static void write(BrokerUnderTest broker) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrap(), "acks", "all");
    AtomicInteger acknowledged = new AtomicInteger();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.partitionsFor(TOPIC);
      byte[] value = "v".getBytes(StandardCharsets.UTF_8);
      long ms =
          timeMs(
              () -> {
                for (int i = 0; i < PARTITIONS; i++) {
                  Object unused =
                      producer.send(
                          new ProducerRecord<>(TOPIC, i, null, value),
                          (metadata, failure) -> {
                            if (failure == null) {
                              acknowledged.incrementAndGet();
                            }
                          });
                }
                producer.flush();
              });
      report("a record in each", ms);
    }
    assertThat(acknowledged.get()).isEqualTo(PARTITIONS);
  }

  private static void assertEnds(BrokerUnderTest broker, long end) throws Exception {
    Map<TopicPartition, OffsetSpec> wanted =
        Map.of(
            new TopicPartition(TOPIC, 0), OffsetSpec.latest(),
            new TopicPartition(TOPIC, 4711), OffsetSpec.latest(),
            new TopicPartition(TOPIC, PARTITIONS - 1), OffsetSpec.latest());
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      assertThat(admin.listOffsets(wanted).all().get(60, TimeUnit.SECONDS).values())
          .hasSize(3)
          .allMatch(found -> found.offset() == end);
    }
  }

  /** Polls: nothing tells when the broker closes files that idle. */
  private static void awaitFewOpenFiles(BrokerUnderTest broker) throws Exception {
    long giveUpNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    int open = openFiles(broker);
    report("open files when each has a record:", open);
    while (open >= FEW_FILES && System.nanoTime() < giveUpNs) {
      TimeUnit.MILLISECONDS.sleep(200);
      open = openFiles(broker);
    }
    report("open files when they idle:", open);
    assertThat(open).isLessThan(FEW_FILES);
  }

  private static int openFiles(BrokerUnderTest broker) throws Exception {
    try (Stream<Path> files = Files.list(Path.of("/proc/" + broker.pid() + "/fd"))) {
      return (int) files.count();
    }
  }

  private static void dumpFindsNothingWrong(Path data) throws Exception {
    Path folder = data.resolve(TOPIC + "-4711");
    String files =
        Stream.of("log", "index", "timeindex")
            .map(suffix -> folder.resolve("00000000000000000000." + suffix).toString())
            .reduce((a, b) -> a + "," + b)
            .orElseThrow();
    Ran dump =
        KafkaTool.run(
            "", "DumpLogSegments", "--files", files, "--deep-iteration", "--index-sanity-check");
    assertThat(dump.out()).contains("baseOffset: 0");
    assertThat(dump.out() + dump.err())
        .doesNotContain("Found ", "corrupt", "isvalid: false", "Exception", "mismatch");
  }

  private interface Step {
    void run() throws Exception;
  }

  private static long timeMs(Step step) throws Exception {
    long beganNs = System.nanoTime();
    step.run();
    return (System.nanoTime() - beganNs) / 1_000_000;
  }

  private static void report(String what, long value) {
    System.out.printf("%d partitions, %s %d%n", PARTITIONS, what, value);
  }
}
