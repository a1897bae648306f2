package dev.tidemark.cli;

import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.server.ServerLogging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs brokers for development: formats their folders if need be, and says when all are ready. */
final class DevRun {
  static final String HOST = "127.0.0.1";
  private static final int MAX_PORT = 65_535;

  /** With an even number no more may fail than with one less. */
  private static final Set<Integer> VOTERS = Set.of(1, 3, 5);

  private DevRun() {}

  static int run(DevOptions options) throws CommandFailure {
    if (options.ephemeral() && options.dataDir() != null) {
      throw CommandFailure.usage(
          "--ephemeral deletes its folder at the end and --data-dir names one to keep; leave one out");
    }
    if (options.brokers() < 1 || options.brokers() > DevCluster.MAX_BROKERS) {
      throw CommandFailure.usage(
          "--brokers %d is not possible; give a number from 1 to %d"
              .formatted(options.brokers(), DevCluster.MAX_BROKERS));
    }
    Integer voters = options.voters();
    if (voters != null && (!VOTERS.contains(voters) || voters > options.brokers())) {
      throw CommandFailure.usage(
          "--voters %d is not possible with --brokers %d; give 1, 3 or 5, and at least as many brokers"
              .formatted(voters, options.brokers()));
    }
    int maxPort = MAX_PORT - options.brokers() + 1;
    if (options.port() < 0 || options.port() > maxPort) {
      throw CommandFailure.usage(
          "--port %d is no port for the first of %d; give one from 0 to %d"
              .formatted(options.port(), options.brokers(), maxPort));
    }
    ServerLogging.dev();
    EphemeralFolder deletedAtEnd = options.ephemeral() ? ephemeralFolder() : null;
    Path folder = deletedAtEnd == null ? keptFolder(options) : deletedAtEnd.path();
    BrokerRun run = start(options, folder, deletedAtEnd);
    printReady(run.ports(), folder);
    return run.awaitEnd();
  }

  /** One broker has a folder of another form than several: neither may hide the other's data. */
  private static BrokerRun start(
      DevOptions options, Path folder, @Nullable EphemeralFolder deletedAtEnd)
      throws CommandFailure {
    if (options.brokers() == 1 && !DevCluster.isIn(folder)) {
      return BrokerRun.start(settings(options.port(), folder), true, deletedAtEnd);
    }
    if (Files.exists(folder.resolve(FolderIdentity.FILE))) {
      throw CommandFailure.failed(
          "%s holds the data of one broker that is a cluster by itself: add --brokers 1 to go on with them, or choose another folder with --data-dir"
              .formatted(folder));
    }
    return DevCluster.start(
        options.brokers(), options.voters(), options.port(), folder, deletedAtEnd);
  }

  /** The settings of a development broker, without those that stand at their defaults. */
  static Map<String, String> settings(int port, Path folder) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("node.id", "1");
    settings.put("process.roles", "broker,controller");
    settings.put("listeners", "PLAINTEXT://" + HOST + ":" + port);
    settings.put("advertised.listeners", "PLAINTEXT://localhost:" + port);
    settings.put("log.dirs", folder.toString());
    settings.put("group.initial.rebalance.delay.ms", "0");
    return settings;
  }

  private static EphemeralFolder ephemeralFolder() throws CommandFailure {
    try {
      return EphemeralFolder.create();
    } catch (IOException e) {
      throw CommandFailure.failed(
          "no temporary folder could be made: " + FailureText.of(e) + "; give one with --data-dir");
    }
  }

  private static Path keptFolder(DevOptions options) {
    String asked = options.dataDir();
    return asked == null
        ? usualFolder(System.getenv("XDG_DATA_HOME"), home())
        : Path.of(asked).toAbsolutePath().normalize();
  }

  /** What the shell calls ~; Java's user.home is the one of the user database instead. */
  private static String home() {
    String home = System.getenv("HOME");
    return home == null || home.isEmpty() ? System.getProperty("user.home", ".") : home;
  }

  private static Path usualFolder(@Nullable String dataHome, String home) {
    Path base =
        dataHome == null || dataHome.isEmpty()
            ? Path.of(home, ".local", "share")
            : Path.of(dataHome);
    return base.resolve("tidemark").resolve("dev").toAbsolutePath();
  }

  private static void printReady(List<Integer> ports, Path folder) {
    int port = ports.get(0);
    Instant now = Instant.now();
    Duration taken =
        Duration.between(ProcessHandle.current().info().startInstant().orElse(now), now);
    String address = port == DevOptions.DEFAULT_PORT ? "" : " --bootstrap-server localhost:" + port;
    String self = CommandText.self();
    System.out.printf(
        Locale.ROOT,
        "Tidemark is ready at %s, data in %s, %.2f s after its start. Try:%n"
            + "  echo 'Hello, tide' | %s produce greetings%s%n"
            + "  %s consume greetings --from-beginning%s%n",
        ports.stream().map(one -> "localhost:" + one).collect(Collectors.joining(",")),
        folder,
        taken.toMillis() / 1000.0,
        self,
        address,
        self,
        address);
    System.out.flush();
  }
}
