package dev.tidemark.server;

import dev.tidemark.broker.BrokerSettings;
import dev.tidemark.broker.ClusterSettings;
import dev.tidemark.broker.folder.DataFolders;
import dev.tidemark.broker.folder.FirstVoters;
import dev.tidemark.broker.folder.FolderIdentity;
import dev.tidemark.broker.settings.ListenerAddress;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Randomness;
import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumVoter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats the data folders of one node: with which cluster, and with which voters. */
final class NodeFormat {
  private static final String CHOICE =
      "say who votes in the metadata log first: --standalone for this controller alone,"
          + " --initial-controllers ID@HOST:PORT:DIRECTORY_ID,... for several, or"
          + " --no-initial-controllers for one that joins later";

  private final BrokerSettings settings;
  private final ClusterSettings cluster;
  private final FormatOptions options;

  private NodeFormat(BrokerSettings settings, FormatOptions options) {
    this.settings = settings;
    this.cluster = settings.cluster();
    this.options = options;
  }

  /**
   * Formats those of the folders that are empty.
   *
   * @throws IllegalArgumentException when options and settings do not fit, in one line
   */
  static Formatted run(BrokerSettings settings, List<Directory> folders, FormatOptions options)
      throws IOException {
    return new NodeFormat(settings, options).run(folders);
  }

  private Formatted run(List<Directory> folders) throws IOException {
    FirstVoters voters = voters();
    Randomness randomness = new SecureRandomness();
    String id = options.clusterId();
    boolean already = true;
    List<String> paths = new ArrayList<>();
    for (Directory folder : folders) {
      paths.add(folder.path());
      FolderIdentity identity = FolderIdentity.read(folder).orElse(null);
      if (identity == null) {
        already = false;
      } else if (id == null) {
        id = identity.clusterId();
      }
    }
    if (id == null) {
      requireNewCluster(voters);
      id = DataFolders.newClusterId(randomness);
    }
    DataFolders.format(folders, id, settings.nodeId(), voters, randomness, SystemClock.INSTANCE);
    return new Formatted(id, List.copyOf(paths), already);
  }

  /** An id of its own would keep the node out of the cluster it is meant for. */
  private static void requireNewCluster(FirstVoters voters) {
    if (voters instanceof FirstVoters.Unknown
        || (voters instanceof FirstVoters.Listed list && list.voters().size() > 1)) {
      throw new IllegalArgumentException(
          "a node of a cluster of several needs --cluster-id, the same on each of them; 'tidemark random-uuid' makes one");
    }
  }

  private FirstVoters voters() {
    if (options.voters() == FormatOptions.Voters.DEFAULT) {
      return byDefault();
    }
    if (!cluster.isController()) {
      throw new IllegalArgumentException(
          "node %d is only a broker (process.roles), so it names no voters: leave --standalone, --initial-controllers and --no-initial-controllers out"
              .formatted(settings.nodeId()));
    }
    if (cluster.isAlone()) {
      if (options.voters() == FormatOptions.Voters.STANDALONE) {
        return new FirstVoters.Alone();
      }
      throw new IllegalArgumentException(
          "node %d has no controller listener, so it is a cluster of its own: name one in controller.listener.names and listeners"
              .formatted(settings.nodeId()));
    }
    return switch (options.voters()) {
      case STANDALONE -> itself();
      case LISTED -> listed();
      case NONE, DEFAULT -> new FirstVoters.Unknown();
    };
  }

  private FirstVoters byDefault() {
    if (cluster.isAlone()) {
      return new FirstVoters.Alone();
    }
    if (!cluster.isController()) {
      return new FirstVoters.Unknown();
    }
    List<QuorumAddress> servers = cluster.bootstrapServers();
    if (servers.isEmpty() || servers.equals(List.of(ownAddress()))) {
      return itself();
    }
    throw new IllegalArgumentException(CHOICE);
  }

  private FirstVoters itself() {
    return new FirstVoters.Itself(cluster.controllerListener(), ownAddress());
  }

  private FirstVoters listed() {
    FirstVoters.Listed list =
        FirstVoters.parse(cluster.controllerListener(), options.initialControllers());
    QuorumVoter self =
        list.voters().stream()
            .filter(voter -> voter.nodeId() == settings.nodeId())
            .findFirst()
            .orElse(null);
    requireSelf(self);
    return list;
  }

  private void requireSelf(@Nullable QuorumVoter self) {
    if (self == null) {
      throw new IllegalArgumentException(
          "--initial-controllers does not name node %d, which is formatted here; give --no-initial-controllers if it joins later"
              .formatted(settings.nodeId()));
    }
  }

  private QuorumAddress ownAddress() {
    ListenerAddress told = settings.allListeners().advertisedControllers().get(0);
    String host = told.host().isEmpty() ? HostName.ofThisMachine() : told.host();
    if (told.port() == 0) {
      throw new IllegalArgumentException(
          "the controller listener %s has no fixed port, so others could not find this controller: give it one in listeners"
              .formatted(told));
    }
    return new QuorumAddress(host, told.port());
  }
}
