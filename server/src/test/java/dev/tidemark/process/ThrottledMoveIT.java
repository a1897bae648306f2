package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's tool for reassignments throttles a move, and raises the throttle while it runs. */
class ThrottledMoveIT {
  private static final int RECORDS = 12;
  private static final int RECORD_BYTES = 500_000;

  private static NodeCluster cluster;

  @TempDir Path work;

  @BeforeAll
  static void start() throws Exception {
    cluster = NodeCluster.start(3);
    cluster.awaitBrokers();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Of 6 MB a fetch brings one; at 1,000 B/s there is one in 11 s, so this takes a minute. */
  @Test
  void aMoveIsThrottledUntilTheThrottleIsRaised() throws Exception {
    write();
    assertThat(execute("1000")).contains("The inter-broker throttle limit was set to 1000 B/s");
    cluster.await("the first fetch", () -> bytesOn(3) > 0);
    assertThat(verify()).contains("Reassignment of partition heavy-0 is still in progress.");
    assertThat(bytesOn(3)).isLessThan(RECORDS * RECORD_BYTES);

    assertThat(execute("50000000", "--additional"))
        .contains("The inter-broker throttle limit was set to 50000000 B/s");
    cluster.await(
        "the move",
        () -> {
          var partition = cluster.describe("heavy").partitions().get(0);
          return partition.replicas().stream().map(one -> one.id()).toList().equals(List.of(1, 3))
              && partition.isr().size() == 2;
        });
    assertThat(bytesOn(3)).isGreaterThan(RECORDS * RECORD_BYTES);
    assertThat(verify())
        .contains("Reassignment of partition heavy-0 is completed.")
        .contains("Clearing topic-level throttles on topic heavy");
  }

  private static void write() throws Exception {
    cluster
        .admin()
        .createTopics(List.of(new NewTopic("heavy", Map.of(0, List.of(1, 2)))))
        .all()
        .get();
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", cluster.bootstrap()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        var unused =
            producer.send(new ProducerRecord<>("heavy", 0, "key", new byte[RECORD_BYTES])).get();
      }
    }
  }

  private String execute(String throttle, String... more) throws Exception {
    List<String> args = new ArrayList<>(List.of("--execute", "--throttle", throttle));
    args.addAll(List.of(more));
    return reassign(args);
  }

  private String verify() throws Exception {
    return reassign(List.of("--verify"));
  }

  private String reassign(List<String> words) throws Exception {
    Path json =
        Files.writeString(
            work.resolve("reassignment.json"),
            "{\"version\":1,\"partitions\":[{\"topic\":\"heavy\",\"partition\":0,\"replicas\":[1,3]}]}");
    List<String> args = new ArrayList<>(words);
    args.addAll(
        List.of(
            "--reassignment-json-file",
            json.toString(),
            "--bootstrap-server",
            cluster.bootstrap()));
    return ToolRun.of("reassign.ReassignPartitionsCommand", args.toArray(new String[0]))
        .requireSuccess()
        .out();
  }

  private static long bytesOn(int broker) throws Exception {
    return cluster
        .admin()
        .describeLogDirs(List.of(broker))
        .allDescriptions()
        .get()
        .get(broker)
        .values()
        .stream()
        .flatMap(folder -> folder.replicaInfos().entrySet().stream())
        .filter(replica -> replica.getKey().topic().equals("heavy"))
        .mapToLong(replica -> replica.getValue().size())
        .sum();
  }
}
