package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.server.BrokerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of the metadata log are such as Kafka's own tools read. */
class MetadataSnapshotIT {
  @TempDir Path data;

  private BrokerProcess start() throws Exception {
    return BrokerProcess.start(
        Map.of(
            "listeners", "PLAINTEXT://127.0.0.1:0",
            "log.dirs", data.toString(),
            "metadata.log.max.record.bytes.between.snapshots", "2000"),
        true);
  }

  private static Admin admin(BrokerProcess broker) {
    return Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + broker.port()));
  }

  @Test
  void kafkasDumpToolReadsASnapshotAndAStartComesFromIt() throws Exception {
    BrokerProcess broker = start();
    try (Admin admin = admin(broker)) {
      for (String topic : List.of("first", "second")) {
        admin
            .createTopics(List.of(new NewTopic(topic, 40, (short) 1)))
            .all()
            .get(60, TimeUnit.SECONDS);
      }
    } finally {
      broker.stop();
    }
    Path snapshot = snapshot();
    Ran dump =
        KafkaTool.run(
            "", "DumpLogSegments", "--files", snapshot.toString(), "--cluster-metadata-decoder");
    assertThat(dump.out())
        .contains("SnapshotHeader", "SnapshotFooter", "KRaftVersion", "KRaftVoters")
        .contains("TOPIC_RECORD", "PARTITION_RECORD", "FEATURE_LEVEL_RECORD");

    BrokerProcess again = start();
    try (Admin admin = admin(again)) {
      assertThat(admin.listTopics().names().get(60, TimeUnit.SECONDS))
          .containsExactlyInAnyOrder("first", "second");
    } finally {
      again.stop();
    }
  }

  private Path snapshot() throws Exception {
    try (Stream<Path> files = Files.list(data.resolve("__cluster_metadata-0"))) {
      return files
          .filter(file -> file.toString().endsWith(".checkpoint"))
          .sorted()
          .reduce((older, newer) -> newer)
          .orElseThrow();
    }
  }
}
