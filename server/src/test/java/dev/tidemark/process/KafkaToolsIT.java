package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Kafka 4.4's own tools as an operator uses them. */
class KafkaToolsIT {
  private static BrokerUnderTest broker;

  @BeforeAll
  static void start() throws Exception {
    broker = BrokerUnderTest.start(Installation.get().newFolder("data"));
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
  }

  @Test
  void theyManageATopicItsRecordsItsGroupAndItsSettings() throws Exception {
    tool("", "TopicCommand", "--create", "--topic", "tools", "--partitions", "2");
    assertThat(tool("", "TopicCommand", "--describe", "--topic", "tools").out())
        .contains("PartitionCount: 2", "ReplicationFactor: 1");

    tool("a\nb\nc\n", "ConsoleProducer", "--topic", "tools");
    assertThat(
            tool(
                    "",
                    "consumer.ConsoleConsumer",
                    "--topic",
                    "tools",
                    "--from-beginning",
                    "--group",
                    "tool-group",
                    "--max-messages",
                    "3",
                    "--timeout-ms",
                    "30000")
                .out()
                .lines())
        .containsExactlyInAnyOrder("a", "b", "c");
    assertThat(
            tool("", "GetOffsetShell", "--topic", "tools")
                .out()
                .lines()
                .mapToInt(KafkaToolsIT::end)
                .sum())
        .isEqualTo(3);
    assertThat(tool("", "consumer.group.ConsumerGroupCommand", "--list").out())
        .contains("tool-group");
    assertThat(
            tool("", "consumer.group.ConsumerGroupCommand", "--describe", "--group", "tool-group")
                .out())
        .contains("tools");

    tool(
        "",
        "ConfigCommand",
        "--alter",
        "--entity-type",
        "topics",
        "--entity-name",
        "tools",
        "--add-config",
        "retention.ms=12345");
    assertThat(
            tool(
                    "",
                    "ConfigCommand",
                    "--describe",
                    "--entity-type",
                    "topics",
                    "--entity-name",
                    "tools")
                .out())
        .contains("retention.ms=12345");
    tool("", "TopicCommand", "--delete", "--topic", "tools");
    assertThat(tool("", "TopicCommand", "--list").out()).doesNotContain("tools");
  }

  @Test
  void theyMeasureWriting() throws Exception {
    Ran ran =
        KafkaTool.run(
            "",
            "ProducerPerformance",
            "--topic",
            "measured",
            "--num-records",
            "20000",
            "--record-size",
            "100",
            "--throughput",
            "-1",
            "--bootstrap-server",
            broker.bootstrap());
    assertThat(ran.out()).contains("20000 records sent");
  }

  private static int end(String line) {
    return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
  }

  private static Ran tool(String input, String tool, String... args) throws Exception {
    String[] all = java.util.Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--bootstrap-server";
    all[args.length + 1] = broker.bootstrap();
    return KafkaTool.run(input, tool, all);
  }
}
