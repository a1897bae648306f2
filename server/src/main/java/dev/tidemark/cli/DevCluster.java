package dev.tidemark.cli;

import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.server.FileFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several development brokers in one process, each with its own folder and port; the first one, or
 * as many as are asked for, are controllers as well. Where there are three, topics get three
 * replicas, of which two have to be in sync, as in a cluster of machines.
 */
final class DevCluster {
  private static final Logger LOG = LoggerFactory.getLogger(DevCluster.class);

  /** Each takes threads and memory of its own. */
  static final int MAX_BROKERS = 9;

  static final int DEFAULT_BROKERS = 3;
  private static final String CLUSTER_ID = "cluster.id";
  private static final int CONFIG_TIMEOUT_MS = 10_000;

  private DevCluster() {}

  /** Whether the folder was made by {@link #start}, with however many brokers. */
  static boolean isIn(Path folder) {
    return Files.exists(folder.resolve(CLUSTER_ID));
  }

  /** {@code voters} of them vote as controllers; null: as many as before, or one. */
  static BrokerRun start(
      int brokers,
      @Nullable Integer voters,
      int port,
      Path folder,
      @Nullable EphemeralFolder deletedAtEnd)
      throws CommandFailure {
    requireAll(brokers, folder);
    boolean isNew = !isIn(folder);
    List<NodeStart> nodes;
    DevVoters voting;
    try {
      voting = DevVoters.of(folder, isNew, voters);
      nodes = nodes(brokers, voting, port, folder);
    } catch (IOException e) {
      throw BrokerRun.failed(e, true);
    }
    BrokerRun run = BrokerRun.start(nodes, voting.count(), deletedAtEnd);
    if (isNew && brokers == 2) {
      lowerMinimum(run.ports().get(0));
    }
    return run;
  }

  /**
   * Fewer brokers than before would leave partitions with too few replicas to write to, or none.
   */
  private static void requireAll(int brokers, Path folder) throws CommandFailure {
    int before = 0;
    for (int id = 1; id <= MAX_BROKERS; id++) {
      if (Files.exists(folder(folder, id).resolve(FolderIdentity.FILE))) {
        before = id;
      }
    }
    if (brokers < before) {
      throw CommandFailure.failed(
          "%s holds a cluster of %d brokers, which %d cannot go on with: start all with --brokers %d, or choose another folder with --data-dir"
              .formatted(folder, before, brokers, before));
    }
  }

  private static Path folder(Path cluster, int id) {
    return cluster.resolve("broker-" + id);
  }

  /** Brokers 1 to {@code brokers}, of which those that vote have to start first. */
  static List<NodeStart> nodes(int brokers, DevVoters voters, int port, Path folder)
      throws IOException {
    String clusterId = clusterId(folder);
    List<NodeStart> nodes = new ArrayList<>();
    for (int id = 1; id <= brokers; id++) {
      Map<String, String> settings = node(id, port == 0 ? 0 : port + id - 1, voters, folder);
      nodes.add(new NodeStart(settings, voters.format(clusterId, id)));
    }
    return nodes;
  }

  /** It is the same for all brokers, also for those that a later run adds. */
  private static String clusterId(Path folder) throws IOException {
    Path file = folder.resolve(CLUSTER_ID);
    try {
      if (!Files.exists(file)) {
        Files.createDirectories(folder);
        Files.writeString(file, RandomUuidCommand.next() + System.lineSeparator());
      }
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw FileFailure.of("write to", file, e);
    }
  }

  private static Map<String, String> node(int id, int port, DevVoters voters, Path folder) {
    Map<String, String> settings = DevRun.settings(port, folder(folder, id));
    settings.put("node.id", String.valueOf(id));
    settings.put("controller.listener.names", DevVoters.LISTENER);
    settings.put("controller.quorum.bootstrap.servers", voters.bootstrapServers());
    String controller = voters.addressOf(id);
    if (controller == null) {
      settings.put("process.roles", "broker");
    } else {
      String clients = settings.get("listeners");
      settings.put("listeners", clients + "," + DevVoters.LISTENER + "://" + controller);
    }
    return settings;
  }

  /** Of two replicas both would have to be there for each write. */
  private static void lowerMinimum(int port) {
    Properties client = new Properties();
    client.setProperty("bootstrap.servers", DevRun.HOST + ":" + port);
    client.setProperty("enable.metrics.push", "false");
    AlterConfigOp one =
        new AlterConfigOp(
            new ConfigEntry(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, "1"),
            AlterConfigOp.OpType.SET);
    try (Admin admin = Admin.create(client)) {
      admin
          .incrementalAlterConfigs(
              Map.of(new ConfigResource(ConfigResource.Type.BROKER, ""), List.of(one)))
          .all()
          .get(CONFIG_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("min.insync.replicas stays 2, so acks=all needs both brokers: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
