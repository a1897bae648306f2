package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** What a killed leader had acknowledged with acks=1 alone is known, shown and dropped. */
class LostTailIT {
  private static final int TIMEOUT_SECONDS = 60;
  private static final String TOPIC = "tides";
  private static final int SAFE = 2;
  private static final int AT_RISK = 5;

  private static void produce(NodeCluster cluster, String acks, int first, int count)
      throws Exception {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            cluster.node(1).bootstrap(),
            "acks",
            acks,
            "enable.idempotence",
            false);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (int i = first; i < first + count; i++) {
        long offset =
            producer
                .send(new ProducerRecord<>(TOPIC, 0, null, "v" + i))
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .offset();
        assertThat(offset).isEqualTo(i);
      }
    }
  }

  /**
   * The first of them may be on their way to the follower, which the kernel hands over when it goes
   * on; so what is lost is what the new leader does not have.
   */
  private static void loseATail(NodeCluster cluster) throws Exception {
    cluster
        .admin()
        .createTopics(List.of(new NewTopic(TOPIC, Map.of(0, List.of(1, 2)))))
        .all()
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    cluster.awaitInSync(TOPIC);
    produce(cluster, "all", 0, SAFE);
    cluster.node(2).freeze();
    produce(cluster, "1", SAFE, AT_RISK);
    cluster.node(1).kill();
    cluster.node(2).thaw();
    cluster.awaitLeader(TOPIC, 2);
  }

  private static long end(NodeCluster cluster) throws Exception {
    TopicPartition partition = new TopicPartition(TOPIC, 0);
    return cluster
        .admin()
        .listOffsets(Map.of(partition, OffsetSpec.latest()))
        .partitionResult(partition)
        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .offset();
  }

  @Test
  void itIsListedFromTheElectionOnShownExactlyAndDropped() throws Exception {
    try (NodeCluster cluster = NodeCluster.start(3)) {
      loseATail(cluster);
      JsonNode open = cluster.json("lost-tail", "list");
      assertThat(open).hasSize(1);
      assertThat(open.at("/0/state").asText()).isEqualTo("unconfirmed");
      assertThat(open.at("/0/listedBy").asInt()).isEqualTo(2);
      assertThat(open.at("/0/ofBroker").asInt()).isEqualTo(1);
      Ran early = cluster.run("lost-tail", "show", open.at("/0/id").asText());
      assertThat(early.exitCode()).isEqualTo(1);
      assertThat(early.err()).contains("what broker 1 had is not known before it comes back");

      cluster.node(1).start();
      cluster.node(1).awaitReady();
      cluster.awaitInSync(TOPIC);
      long kept = end(cluster);
      int all = SAFE + AT_RISK;
      assertThat(kept).isBetween((long) SAFE, (long) all - 1);

      JsonNode exact = cluster.json("lost-tail", "list", "--topic", TOPIC);
      assertThat(exact).hasSize(1);
      assertThat(exact.at("/0/state").asText()).isEqualTo("exact");
      assertThat(exact.at("/0/listedBy").asInt()).isEqualTo(1);
      assertThat(exact.at("/0/firstOffset").asLong()).isEqualTo(kept);
      assertThat(exact.at("/0/lastOffset").asLong()).isEqualTo(all - 1);
      assertThat(exact.at("/0/records").asLong()).isEqualTo(all - kept);
      assertThat(exact.at("/0/committedRecords").asLong()).isZero();
      assertThat(exact.at("/0/keptBytes").asLong()).isEqualTo(exact.at("/0/bytes").asLong());
      String id = exact.at("/0/id").asText();
      assertThat(StreamSupport.stream(cluster.json("lost-tail", "show", id).spliterator(), false))
          .extracting(record -> record.get("value").asText())
          .containsExactlyElementsOf(
              IntStream.range((int) kept, all).mapToObj(i -> "v" + i).toList());
      assertThat(cluster.run("lost-tail", "show", id).requireSuccess().out().lines().skip(1))
          .first()
          .asString()
          .matches(kept + " +\\d+ +\\S+Z +- +v" + kept);

      assertThat(cluster.run("lost-tail", "drop", id).requireSuccess().out())
          .isEqualTo("Dropped " + id + ".\n");
      assertThat(cluster.json("lost-tail", "list")).isEmpty();
      assertThat(cluster.run("lost-tail", "list").requireSuccess().err())
          .contains("No lost tails are known.");
      Ran again = cluster.run("lost-tail", "drop", id);
      assertThat(again.exitCode()).isEqualTo(1);
      assertThat(again.err()).contains("broker 1 lists no lost tail").hasLineCount(1);
    }
  }
}
