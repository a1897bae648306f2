package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands that look after groups, settings and folders, as an operator types them. */
class OperatorCommandsIT {
  private final Installation installation = Installation.get();
  private BrokerUnderTest broker;

  @BeforeEach
  void start() throws Exception {
    broker = BrokerUnderTest.start(installation.newFolder("data"));
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private String run(String... command) throws Exception {
    return broker.tidemark("", command).requireSuccess().out();
  }

  private JsonNode json(String... command) throws Exception {
    String[] all = java.util.Arrays.copyOf(command, command.length + 2);
    all[command.length] = "--format";
    all[command.length + 1] = "json";
    return new ObjectMapper().readTree(run(all));
  }

  private void refused(int exitCode, String expected, String... command) throws Exception {
    Ran ran = broker.tidemark("", command);
    assertThat(ran.exitCode()).as(String.join(" ", command)).isEqualTo(exitCode);
    assertThat(ran.err()).contains(expected).hasLineCount(1);
  }

  private void produce(int lines) throws Exception {
    String input = IntStream.range(0, lines).mapToObj(i -> i + "\n").collect(Collectors.joining());
    broker.tidemark(input, "produce", "tides").requireSuccess();
  }

  @Test
  void aGroupIsFollowedMovedAndDeleted() throws Exception {
    produce(100);
    String read =
        run("consume", "tides", "--group", "walkers", "--from-beginning", "--max-messages", "40");
    assertThat(read.lines()).hasSize(40);
    assertThat(run("group", "list").lines().toList().get(1))
        .matches("walkers +Classic +\\S+ +Empty");
    assertThat(json("group", "list").at("/0/group").asText()).isEqualTo("walkers");
    JsonNode group = json("group", "describe", "walkers");
    assertThat(group.at("/partitions/0/currentOffset").asLong())
        .as("only what was printed is committed")
        .isEqualTo(40);
    assertThat(group.at("/partitions/0/lag").asLong()).isEqualTo(60);
    assertThat(run("group", "describe", "walkers").lines().toList().get(1))
        .matches("walkers +tides +0 +40 +100 +60 +- +- +-");
    run("group", "reset-offsets", "walkers", "--topic", "tides", "--to", "1000");
    assertThat(json("group", "describe", "walkers").at("/partitions/0/lag").asLong()).isZero();
    run("group", "reset-offsets", "walkers", "--topic", "tides", "--to", "earliest");
    assertThat(json("group", "describe", "walkers").at("/partitions/0/lag").asLong())
        .isEqualTo(100);
    run("group", "delete", "walkers");
    refused(1, "there is no group walkers", "group", "describe", "walkers");
    refused(1, "there is no group walkers", "group", "delete", "walkers");
    refused(
        2,
        "earliest, latest or an offset",
        "group",
        "reset-offsets",
        "w",
        "--topic",
        "tides",
        "--to",
        "x");
  }

  @Test
  void aConsumerThatIsStoppedLeavesItsGroupAtOnce() throws Exception {
    produce(1);
    Process consumer =
        installation
            .command(
                Map.of(),
                "consume",
                "tides",
                "--group",
                "walkers",
                "--from-beginning",
                "--bootstrap-server",
                broker.bootstrap())
            .start();
    try (var out = consumer.inputReader()) {
      assertThat(out.readLine()).isEqualTo("0");
      assertThat(consumer.toHandle().destroy()).isTrue();
      assertThat(consumer.waitFor()).isEqualTo(143);
    }
    JsonNode group = json("group", "describe", "walkers");
    assertThat(group.get("state").asText()).isEqualTo("Empty");
    assertThat(group.at("/partitions/0/currentOffset").asLong()).isEqualTo(1);
  }

  @Test
  void settingsAreMadeShownAndRemoved() throws Exception {
    run("topic", "create", "tides");
    run("config", "set", "--topic", "tides", "retention.ms=1000", "segment.bytes=2000000");
    assertThat(run("config", "describe", "--topic", "tides"))
        .isEqualTo("retention.ms=1000  (this topic)\nsegment.bytes=2000000  (this topic)\n");
    run("config", "unset", "--topic", "tides", "segment.bytes");
    JsonNode left = json("config", "describe", "--topic", "tides");
    assertThat(left).hasSize(1);
    assertThat(left.at("/0/value").asText()).isEqualTo("1000");
    run("config", "set", "--cluster", "log.retention.ms=5000");
    assertThat(run("config", "describe", "--cluster"))
        .contains("log.retention.ms=5000  (the cluster)");
    assertThat(run("config", "describe", "--topic", "tides", "--all").lines())
        .contains("retention.ms=1000  (this topic)", "retention.bytes=-1  (default)");
    refused(1, "nope", "config", "set", "--topic", "tides", "nope=1");
    refused(2, "--topic", "config", "describe");
    refused(2, "KEY=VALUE", "config", "set", "--topic", "tides");
  }

  @Test
  void foldersAreShownWithTheirRoomAndWhatLiesInThem() throws Exception {
    produce(10);
    run("topic", "create", "other");
    JsonNode folder = json("log-dirs", "--topic", "tides").at("/brokers/0/logDirs/0");
    assertThat(folder.get("error").isNull()).isTrue();
    assertThat(folder.get("usableBytes").asLong()).isPositive();
    assertThat(folder.get("partitions")).hasSize(1);
    assertThat(folder.at("/partitions/0/partition").asText()).isEqualTo("tides-0");
    assertThat(folder.at("/partitions/0/size").asLong()).isPositive();
    assertThat(run("log-dirs").lines().toList())
        .anyMatch(line -> line.matches("broker 1  .*  \\d+ of \\d+ MiB free"))
        .anyMatch(line -> line.matches(" +other-0 +0 +0 +no"));
  }

  @Test
  void topicsAreAlsoPrintedForPrograms() throws Exception {
    run("topic", "create", "tides", "--partitions", "2", "--config", "retention.ms=7");
    assertThat(json("topic", "list")).hasSize(1);
    JsonNode topic = json("topic", "describe", "tides");
    assertThat(topic.at("/configs/retention.ms").asText()).isEqualTo("7");
    assertThat(topic.get("partitions")).hasSize(2);
    assertThat(topic.at("/partitions/1/isr/0").asInt()).isEqualTo(1);
    refused(2, "TEXT, JSON", "topic", "list", "--format", "xml");
  }
}
