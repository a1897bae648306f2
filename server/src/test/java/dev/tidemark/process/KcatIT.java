package dev.tidemark.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The C client through kcat, which must be installed (Debian: apt install kcat). */
class KcatIT {
  private static final int RECORDS = 500;

  private static BrokerUnderTest broker;

  @BeforeAll
  static void start() throws Exception {
    broker = BrokerUnderTest.start(Installation.get().newFolder("data"));
    Needed.of(Files.isExecutable(Path.of("/usr/bin/kcat")), "kcat (Debian: apt install kcat)");
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void keysHeadersAndValuesComeBackWithEachCodec(String codec) throws Exception {
    String topic = "kcat-" + codec;
    StringBuilder input = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < RECORDS; i++) {
      input.append("k").append(i).append(":value of ").append(i).append('\n');
      expected
          .append(i)
          .append(" k")
          .append(i)
          .append(" tide=high value of ")
          .append(i)
          .append('\n');
    }
    kcat(input.toString(), "-P", "-t", topic, "-p", "0", "-K", ":", "-H", "tide=high", "-z", codec)
        .requireSuccess();
    Ran read = kcat("", "-C", "-t", topic, "-e", "-q", "-f", "%o %k %h %s\\n").requireSuccess();
    assertThat(read.out()).isEqualTo(expected.toString());
  }

  @Test
  void offsetsAreFoundByTime() throws Exception {
    kcat("first\nsecond\n", "-P", "-t", "by-time", "-p", "0").requireSuccess();
    String[] times =
        kcat("", "-C", "-t", "by-time", "-e", "-q", "-f", "%T\\n")
            .requireSuccess()
            .out()
            .split("\n", -1);
    Ran atFirst = kcat("", "-Q", "-t", "by-time:0:" + times[0]).requireSuccess();
    assertThat(atFirst.out()).contains("offset 0");
    Ran never = kcat("", "-Q", "-t", "by-time:0:" + (Long.parseLong(times[0]) + 1_000_000_000));
    assertThat(never.requireSuccess().out()).contains("offset -1");
  }

  @Test
  void metadataNamesTheBrokerAndItsTopics() throws Exception {
    kcat("x\n", "-P", "-t", "listed", "-p", "0").requireSuccess();
    assertThat(kcat("", "-L").requireSuccess().out())
        .contains("1 brokers", "at " + broker.bootstrap(), "topic \"listed\" with 1 partitions");
  }

  private static Ran kcat(String input, String... args) throws Exception {
    List<String> command = new ArrayList<>(List.of("kcat", "-b", broker.bootstrap()));
    command.addAll(List.of(args));
    return Ran.of(new ProcessBuilder(command), input);
  }
}
