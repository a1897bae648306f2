package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code tidemark dev} does with its folder before the brokers are ready. */
class DevRunTest {
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_NS = 1_000_000;

  @TempDir Path folder;

  private static Path write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void fewerBrokersThanTheFolderHoldsAreRefusedUntouched(int brokers) throws IOException {
    write(folder.resolve("cluster.id"), "kVf3bqXvT0-0XcJpQ1mKbw\n");
    for (int id = 1; id <= 3; id++) {
      write(folder.resolve("broker-" + id).resolve("meta.properties"), "version=1\n");
    }
    assertThatThrownBy(() -> DevCluster.start(brokers, null, 0, folder, null))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(
            "%s holds a cluster of 3 brokers, which %d cannot go on with: start all with --brokers 3, or choose another folder with --data-dir",
            folder, brokers);
    assertThat(folder.resolve("broker-1")).isDirectoryContaining("glob:**/meta.properties");
  }

  /** Whether that file has appeared in a temporary folder; the empty name is the folder. */
  private boolean hasAppeared(String place) throws IOException {
    try (var made = Files.list(folder)) {
      return made.anyMatch(one -> Files.exists(one.resolve(place)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "broker-1/meta.properties", "broker-2", "broker-3/.lock"})
  void aSignalBeforeTheBrokersAreReadyLeavesNoTemporaryFolder(String place) throws Exception {
    Process dev =
        new ProcessBuilder(
                List.of(
                    System.getProperty("java.home") + "/bin/java",
                    "-XX:TieredStopAtLevel=1",
                    "-Djava.io.tmpdir=" + folder,
                    "-cp",
                    System.getProperty("java.class.path"),
                    Tidemark.class.getName(),
                    "dev",
                    "--port",
                    "0",
                    "--ephemeral"))
            .redirectErrorStream(true)
            .start();
    try {
      long beganNs = System.nanoTime();
      while (!hasAppeared(place)) {
        assertThat(dev.isAlive()).isTrue();
        assertThat(System.nanoTime() - beganNs).isLessThan(TIMEOUT_NS);
        LockSupport.parkNanos(PAUSE_NS);
      }
      assertThat(dev.toHandle().destroy()).isTrue();
      String said = new String(dev.getInputStream().readAllBytes(), UTF_8);
      assertThat(dev.waitFor(TIMEOUT_NS, TimeUnit.NANOSECONDS)).isTrue();
      assertThat(said).doesNotContain("is ready", "ERROR", "Exception");
      assertThat(folder).as(said).isEmptyDirectory();
    } finally {
      dev.destroyForcibly();
    }
  }
}
