package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** What was acknowledged is there after the process was killed. */
class CrashIT {
  private static final int LINES = 100_000;

  @Test
  void everyAcknowledgedLineIsReadBackInOrderAfterAKill() throws Exception {
    Path data = Installation.get().newFolder("data");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      lines.append("line ").append(i).append(" of the tide table\n");
    }
    BrokerUnderTest broker = BrokerUnderTest.start(data);
    assertThat(broker.tidemark(lines.toString(), "produce", "lines").requireSuccess().err())
        .contains(LINES + " records written");
    broker.kill();

    try (BrokerUnderTest again = BrokerUnderTest.start(data)) {
      Ran read =
          again.tidemark(
              "",
              "consume",
              "lines",
              "--from-beginning",
              "--max-messages",
              "" + LINES,
              "--timeout-ms",
              "30000");
      assertThat(read.requireSuccess().out().equals(lines.toString()))
          .as("the same %d lines in the same order", LINES)
          .isTrue();
      assertThat(again.log()).as("no alarm: nothing was lost").doesNotContain("WARN", "ERROR");
      again.kill();
    }
    assertThat(dumpFindsNothingWrong(data)).contains("baseOffset: 0 ");
  }

  @Test
  void aKillInTheMiddleLosesNothingAcknowledged() throws Exception {
    Path data = Installation.get().newFolder("data");
    BrokerUnderTest broker = BrokerUnderTest.start(data);
    AtomicInteger acknowledged = new AtomicInteger();
    Map<String, Object> settings =
        Map.of("bootstrap.servers", broker.bootstrap(), "acks", "all", "linger.ms", 1);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      int sent = 0;
      while (acknowledged.get() < 20_000 && sent < 10_000_000) {
        Object unused =
            producer.send(
                new ProducerRecord<>("cut", "" + sent++),
                (metadata, failure) -> {
                  if (failure == null) {
                    acknowledged.incrementAndGet();
                  }
                });
      }
      broker.kill();
      producer.close(Duration.ZERO); // nobody answers what is still on its way
    }
    try (BrokerUnderTest again = BrokerUnderTest.start(data)) {
      int expected = acknowledged.get();
      String out =
          again
              .tidemark(
                  "",
                  "consume",
                  "cut",
                  "--from-beginning",
                  "--max-messages",
                  "" + expected,
                  "--timeout-ms",
                  "30000")
              .requireSuccess()
              .out();
      List<String> read = out.lines().toList();
      assertThat(read).hasSize(expected);
      for (int i = 0; i < expected; i++) {
        assertThat(read.get(i)).isEqualTo("" + i);
      }
      assertThat(again.stop()).isZero();
    }
    assertThat(dumpFindsNothingWrong(data)).contains("baseOffset: 0 ");
  }

  /** Returns what Kafka's tool tells of all files of partitions. */
  static String dumpFindsNothingWrong(Path data) throws Exception {
    String told;
    try (Stream<Path> all = Files.walk(data)) {
      String files =
          String.join(
              ",",
              all.map(Path::toString)
                  .filter(
                      name -> name.matches(".*/0\\d+\\.(log|index|timeindex|txnindex|snapshot)"))
                  .filter(name -> !name.contains("__cluster_metadata"))
                  .toList());
      assertThat(files).isNotEmpty();
      Ran dump =
          KafkaTool.run(
              "", "DumpLogSegments", "--files", files, "--deep-iteration", "--index-sanity-check");
      told = dump.out() + dump.err();
      assertThat(told)
          .doesNotContain(
              "Found ", "corrupt", "CORRUPT", "isvalid: false", "Exception", "mismatch");
    }
    Path metadata = data.resolve("__cluster_metadata-0/00000000000000000000.log");
    Ran dump =
        KafkaTool.run(
            "", "DumpLogSegments", "--files", metadata.toString(), "--cluster-metadata-decoder");
    assertThat(dump.out()).contains("TOPIC_RECORD", "PARTITION_RECORD");
    return told;
  }
}
