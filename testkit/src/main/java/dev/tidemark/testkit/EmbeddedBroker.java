package dev.tidemark.testkit;

import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.FileDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A broker inside a JVM test: a real one, on a free port of the loopback address, with its data in
 * a temporary folder that goes when it is closed. Any thread may use it.
 *
 * <pre>{@code
 * try (EmbeddedBroker broker = EmbeddedBroker.start()) {
 *   properties.put("bootstrap.servers", broker.bootstrapServers());
 * }
 * }</pre>
 */
public final class EmbeddedBroker implements AutoCloseable {
  private final BrokerProcess broker;
  private final Path folder;

  private EmbeddedBroker(BrokerProcess broker, Path folder) {
    this.broker = broker;
    this.folder = folder;
  }

  /** Starts a broker with the defaults; returns when it serves clients. */
  public static EmbeddedBroker start() {
    return start(Map.of());
  }

  /**
   * Starts a broker; returns when it serves clients.
   *
   * @param settings keys of server.properties that shall differ; listeners and log.dirs are taken
   *     care of
   * @throws UncheckedIOException when the machine refuses a port or a folder
   */
  public static EmbeddedBroker start(Map<String, String> settings) {
    try {
      return start(settings, Files.createTempDirectory("tidemark-test-"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the broker started", e);
    }
  }

  private static EmbeddedBroker start(Map<String, String> settings, Path folder)
      throws IOException, InterruptedException {
    try {
      Map<String, String> all = new LinkedHashMap<>(settings);
      all.put("listeners", "PLAINTEXT://127.0.0.1:0");
      all.put("log.dirs", folder.resolve("data").toString());
      all.putIfAbsent("node.id", "1");
      all.putIfAbsent("offsets.topic.num.partitions", "5");
      all.putIfAbsent("group.initial.rebalance.delay.ms", "0");
      return new EmbeddedBroker(BrokerProcess.start(all, true), folder);
    } catch (IOException | InterruptedException | RuntimeException e) {
      try {
        delete(folder);
      } catch (IOException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  private static void delete(Path folder) throws IOException {
    new FileDirectory(folder.resolveSibling(".")).delete(folder.getFileName().toString());
  }

  /** For clients' {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return "127.0.0.1:" + broker.port();
  }

  /** Stops the broker, waits for it, and deletes its data. */
  @Override
  public void close() {
    try {
      try {
        broker.stop();
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the broker stopped", e);
    }
  }
}
