package dev.tidemark.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.process.Installation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Apache Kafka's own broker and ours are asked the same, request by request ({@link Script}). Each
 * field of each answer is the same, but for ids, times and addresses, or the difference is intended
 * and stands with its reason in {@code src/test/differential/differences}, from where
 * docs/compatibility.md takes it. The whole report is in {@code target/differential.txt}.
 */
class DifferentialIT {
  private static final long START_TIMEOUT_MS = 60_000;

  /** What both brokers have in server.properties. */
  private static final Map<String, String> SHARED =
      Map.of(
          "node.id", "1",
          "default.replication.factor", "1",
          "offsets.topic.replication.factor", "1",
          "offsets.topic.num.partitions", "1",
          "group.initial.rebalance.delay.ms", "0",
          "transaction.state.log.replication.factor", "1",
          "transaction.state.log.min.isr", "1",
          "share.coordinator.state.topic.replication.factor", "1",
          "share.coordinator.state.topic.min.isr", "1");

  @Test
  void everyAnswerIsKafkasButWhereADifferenceIsIntended() throws Exception {
    List<Step> script = Script.load();
    Path work = Installation.get().newFolder("differential");
    Path kafkaFolder = Files.createDirectory(work.resolve("kafka"));
    Path ourFolder = Installation.get().newFolder("differential-ours");
    List<Comparison.Mismatch> mismatches = new ArrayList<>();
    try (Peer kafka = KafkaUnderTest.start(kafkaFolder, SHARED);
        Peer tidemark = TidemarkUnderTest.start(ourFolder, SHARED)) {
      var expected = CompletableFuture.supplyAsync(() -> answers(kafka, script));
      var found = CompletableFuture.supplyAsync(() -> answers(tidemark, script));
      for (Step step : script) {
        JsonNode one = expected.get().get(step.name());
        JsonNode other = found.get().get(step.name());
        if (one != null || other != null) {
          mismatches.addAll(
              Comparison.of(
                  step.name(), Objects.requireNonNull(one), Objects.requireNonNull(other)));
        }
      }
    }
    judge(mismatches);
  }

  private static Map<String, JsonNode> answers(Peer peer, List<Step> script) {
    try (Conversation conversation =
        new Conversation(peer.awaitListening(START_TIMEOUT_MS).port())) {
      return Masking.mask(conversation.run(script));
    } catch (IOException e) {
      throw new UncheckedIOException(peer.name(), e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void judge(List<Comparison.Mismatch> mismatches) throws IOException {
    List<IntendedDifference> intended = IntendedDifference.load();
    List<Comparison.Mismatch> unlisted =
        mismatches.stream()
            .filter(mismatch -> intended.stream().noneMatch(entry -> entry.covers(mismatch)))
            .toList();
    List<String> gone =
        intended.stream()
            .filter(entry -> mismatches.stream().noneMatch(entry::covers))
            .map(entry -> entry.where() + ": " + entry.steps() + " " + entry.fields())
            .toList();
    Files.write(
        Path.of("target/differential.txt"),
        mismatches.stream()
            .map(mismatch -> (unlisted.contains(mismatch) ? "! " : "  ") + mismatch)
            .toList());
    assertThat(unlisted).as("differences that nobody intended").isEmpty();
    assertThat(gone).as("intended differences that did not occur").isEmpty();
  }
}
