package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server writes on its standard error from its first line to the one that says ready. */
class StartLinesTest {
  @TempDir Path folder;

  /** Its lines up to the one that says ready, and the one with {@code last} if that comes later. */
  private List<String> startAndStop(boolean used, String last) throws Exception {
    Process server =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Tidemark.class.getName(),
                "server",
                "--config",
                folder.resolve("server.properties").toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader out = server.inputReader()) {
      List<String> lines = new ArrayList<>();
      boolean ready = false;
      while (!ready || lines.stream().noneMatch(line -> line.contains(last))) {
        String line = out.readLine();
        assertThat(line).as("it is ready and says '%s': %s", last, lines).isNotNull();
        if (!isOfTheJvm(line)) {
          lines.add(line);
        }
        if (line.contains("is ready")) {
          ready = true;
          if (used) {
            use("127.0.0.1:" + line.replaceAll(".*PLAINTEXT://127.0.0.1:(\\d+).*", "$1"));
          }
        }
      }
      assertThat(server.toHandle().destroy()).isTrue();
      assertThat(out.lines()).anyMatch(line -> line.contains("Tidemark stopped."));
      assertThat(server.waitFor()).isZero();
      return lines;
    } finally {
      server.destroyForcibly();
    }
  }

  /**
   * Newer JVMs warn of native libraries; the release starts them with flags that say it is meant.
   */
  private static boolean isOfTheJvm(String line) {
    return line.isEmpty() || line.startsWith("WARNING: ");
  }

  private static void use(String bootstrap) {
    CommandUnderTest.run(
            new ByteArrayInputStream("a\nb\n".getBytes(UTF_8)),
            "produce",
            "tides",
            "--bootstrap-server",
            bootstrap)
        .requireSuccess();
    CommandUnderTest.run(
            new ByteArrayInputStream(new byte[0]),
            "group",
            "reset-offsets",
            "walkers",
            "--topic",
            "tides",
            "--to",
            "latest",
            "--bootstrap-server",
            bootstrap)
        .requireSuccess();
  }

  private void configure() throws IOException {
    Files.writeString(
        folder.resolve("server.properties"),
        "listeners=PLAINTEXT://127.0.0.1:0\nlog.dirs=" + folder.resolve("data") + "\n");
    CommandUnderTest.run(
            new ByteArrayInputStream(new byte[0]),
            "format",
            "--config",
            folder.resolve("server.properties").toString())
        .requireSuccess();
  }

  @Test
  void aStartAfterACleanStopSaysLittleAndNothingOfARecovery() throws Exception {
    configure();
    List<String> unused = startAndStop(true, "is ready");
    List<String> lines = startAndStop(true, "Loaded the groups of 50 partitions");
    assertThat(lines).noneMatch(line -> line.contains("Recovering")).hasSizeLessThan(10);
    assertThat(lines.get(0)).contains("starts as node 1 with data in " + folder.resolve("data"));
  }

  @Test
  void whatIsDeletedAtAStartIsToldBefore() throws Exception {
    configure();
    Path deleted = folder.resolve("data/old-0.abc-delete");
    Files.createDirectory(deleted);
    List<String> lines = startAndStop(false, "is ready");
    assertThat(lines.get(0)).contains("starts as node 1");
    assertThat(lines)
        .filteredOn(line -> line.contains("old-0.abc-delete"))
        .singleElement()
        .asString()
        .contains("what is left of 1 deleted partitions");
    assertThat(deleted).doesNotExist();
  }
}
