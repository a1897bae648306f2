package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.server.BrokerProcess;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user asks for that is not there is told soon, in one line, with what to do. */
class CommandMistakesTest {
  @TempDir static Path folder;
  private static BrokerProcess broker;

  @BeforeAll
  static void start() throws Exception {
    broker =
        BrokerProcess.start(
            Map.of(
                "listeners", "PLAINTEXT://127.0.0.1:0",
                "log.dirs", folder.toString(),
                "auto.create.topics.enable", "false"),
            true);
    run("topic", "create", "tides").requireSuccess();
  }

  @AfterAll
  static void stop() throws Exception {
    broker.stop();
  }

  private static CommandUnderTest run(String... args) {
    return runWith("", args);
  }

  private static CommandUnderTest runWith(String input, String... args) {
    return runWith(new ByteArrayInputStream(input.getBytes(UTF_8)), args);
  }

  private static CommandUnderTest runWith(InputStream input, String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--bootstrap-server";
    all[args.length + 1] = "127.0.0.1:" + broker.port();
    return CommandUnderTest.run(input, all);
  }

  /** Standard input of which nothing may be read. */
  private static InputStream untouchable() {
    return new InputStream() {
      @Override
      public int read() {
        throw new AssertionError("input was read before the mistake was told");
      }

      @Override
      public int read(byte[] to, int offset, int length) {
        return read();
      }
    };
  }

  @Test
  void aBrokerThatIsNotThereIsNamedWithThoseThatAre() {
    for (String[] command :
        new String[][] {
          {"log-dirs", "--broker", "99"},
          {"config", "describe", "--broker", "99"},
          {"config", "set", "--broker", "99", "log.retention.ms=1"},
          {"config", "unset", "--broker", "99", "log.retention.ms"},
          {"topic", "reassign", "tides", "--brokers", "99"},
          {"lost-tail", "show", "99:tides-0:0-1"},
          {"lost-tail", "drop", "99:tides-0:0-1"}
        }) {
      run(command).requireRefused(1, "there is no broker 99", "ids 1:", "correct --broker");
    }
  }

  @Test
  void whatCannotBeTakenOutOrShownIsRefused() {
    run("topic", "create", "taken").requireSuccess();
    run("broker", "drain", "99").requireRefused(1, "there is no broker 99", "broker list");
    run("broker", "drain", "1").requireRefused(1, "too few brokers serve", "add one first");
    run("broker", "unregister", "99").requireRefused(1, "there is no broker 99", "broker list");
    run("broker", "unregister", "1").requireRefused(1, "still has replicas", "broker drain 1");
    run("topic", "reassign", "taken").requireRefused(2, "give --brokers, or --partition");
    run("topic", "reassign", "taken", "--partition", "7", "--replicas", "1")
        .requireRefused(1, "no partition 7");
    run("topic", "elect", "--unclean").requireRefused(2, "name the topics");
    run("lost-tail", "show", "some").requireRefused(2, "'some' is no lost tail", "lost-tail list");
    run("lost-tail", "show", "1:taken-0:0-1").requireRefused(1, "lists no lost tail");
    run("lost-tail", "drop", "1:taken-0:0-1").requireRefused(1, "lists no lost tail");
  }

  @Test
  void aTopicThatIsNotThereIsNamedWithTheCommandThatListsThem() {
    for (String[] command :
        new String[][] {
          {"log-dirs", "--topic", "nope"},
          {"topic", "describe", "nope"},
          {"topic", "elect", "nope"},
          {"topic", "reassign", "nope", "--brokers", "1"},
          {"lost-tail", "list", "--topic", "nope"},
          {"topic", "delete", "nope"},
          {"config", "describe", "--topic", "nope"},
          {"config", "set", "--topic", "nope", "retention.ms=1"},
          {"config", "unset", "--topic", "nope", "retention.ms"},
          {"group", "reset-offsets", "g", "--topic", "nope", "--to", "latest"},
          {"consume", "nope"},
          {"consume", "nope", "--group", "g"}
        }) {
      run(command).requireRefused(1, "there is no topic nope", "'tidemark topic list'");
    }
  }

  @Test
  void whereNoTopicIsCreatedOnUseAWriterIsToldBeforeItsInputIsRead() {
    runWith(untouchable(), "produce", "nope")
        .requireRefused(1, "there is no topic nope", "auto.create.topics.enable", "topic create");
    runWith("v\n", "produce", "tides").requireSuccess();
  }

  @Test
  void whatCanBeNoTopicsNameIsRefusedBeforeAnythingIsAsked() {
    for (String[] command :
        new String[][] {
          {"produce", "a b"},
          {"consume", "a b"},
          {"topic", "create", "a b"},
          {"topic", "describe", "a b"},
          {"topic", "delete", "tides", "a b"},
          {"log-dirs", "--topic", "a b"},
          {"config", "describe", "--topic", "a b"},
          {"group", "reset-offsets", "g", "--topic", "a b", "--to", "latest"}
        }) {
      runWith(untouchable(), command)
          .requireRefused(2, "a topic's name is invalid: 'a b' contains");
    }
    run("topic", "describe", "tides").requireSuccess();
    run("produce", "..").requireRefused(2, "'..'");
  }

  @Test
  void anOffsetBeyondTheEndIsSetToTheEndAndSaidSo() {
    run("topic", "create", "short").requireSuccess();
    runWith("a\nb\n", "produce", "short").requireSuccess();
    CommandUnderTest moved =
        run("group", "reset-offsets", "g", "--topic", "short", "--to", "1000").requireSuccess();
    assertThat(moved.err())
        .isEqualTo("short-0 has the offsets 0 to 2; 1000 was asked for, the group is set to 2.\n");
    CommandUnderTest within =
        run("group", "reset-offsets", "g", "--topic", "short", "--to", "1").requireSuccess();
    assertThat(within.err()).isEmpty();
    run("group", "reset-offsets", "g", "--topic", "short", "--to", "-1")
        .requireRefused(2, "--to is '-1'", "earliest, latest or an offset");
  }

  @Test
  void topicsOfTheBrokerItselfGoOnlyWhenAskedForExpressly() {
    run("group", "reset-offsets", "g", "--topic", "tides", "--to", "latest").requireSuccess();
    run("topic", "delete", "tides", "__consumer_offsets")
        .requireRefused(1, "__consumer_offsets", "offsets of all groups", "--internal");
    assertThat(run("topic", "list", "--internal").out()).contains("tides", "__consumer_offsets");
    run("topic", "delete", "__consumer_offsets", "--internal").requireSuccess();
    assertThat(run("topic", "list", "--internal").out()).doesNotContain("__consumer_offsets");
  }
}
