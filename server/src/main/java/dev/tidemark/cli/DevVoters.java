package dev.tidemark.cli;

import static java.util.Objects.requireNonNull;

import dev.tidemark.broker.folder.FirstVoters;
import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumVoter;
import dev.tidemark.server.FileFailure;
import dev.tidemark.server.FormatOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Which brokers of a development cluster are controllers that vote: the first ones. A lone one is
 * found at the address of each run. Several know each other by the addresses in their log, so these
 * are drawn once and kept in a file.
 */
final class DevVoters {
  static final String LISTENER = "CONTROLLER";
  private static final String FILE = "initial.controllers";

  private final List<QuorumVoter> voters;

  private DevVoters(List<QuorumVoter> voters) {
    this.voters = List.copyOf(voters);
  }

  /** One, at any free port. */
  static DevVoters one() throws IOException {
    return new DevVoters(draw(1));
  }

  /**
   * Those of the folder, or new ones if it is new.
   *
   * @param asked how many are wanted; null if nobody has said
   * @throws CommandFailure when the folder has another number
   */
  static DevVoters of(Path folder, boolean isNew, @Nullable Integer asked)
      throws IOException, CommandFailure {
    Path file = folder.resolve(FILE);
    List<QuorumVoter> kept = Files.exists(file) ? read(file) : List.of();
    int before = isNew && asked != null ? asked : Math.max(1, kept.size());
    if (asked != null && asked != before) {
      throw CommandFailure.failed(
          "%s holds a cluster with %d voting controllers, and who votes stays: leave --voters %d out, or choose another folder with --data-dir"
              .formatted(folder, before, asked));
    }
    if (isNew && before > 1) {
      kept = draw(before);
      write(file, kept);
    }
    return kept.isEmpty() ? one() : new DevVoters(kept);
  }

  private static List<QuorumVoter> read(Path file) throws IOException, CommandFailure {
    try {
      return FirstVoters.parse(LISTENER, Files.readString(file).strip()).voters();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.failed(file + " is damaged: " + e.getMessage());
    }
  }

  private static void write(Path file, List<QuorumVoter> voters) throws IOException {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, text(voters) + System.lineSeparator());
    } catch (IOException e) {
      throw FileFailure.of("write to", file, e);
    }
  }

  private static String text(List<QuorumVoter> voters) {
    return voters.stream()
        .map(voter -> voter.nodeId() + "@" + address(voter) + ":" + voter.directoryId())
        .collect(Collectors.joining(","));
  }

  private static String address(QuorumVoter voter) {
    QuorumAddress address = requireNonNull(voter.address());
    return address.host() + ":" + address.port();
  }

  /** All ports are held until the last one is found, so that no two are the same. */
  private static List<QuorumVoter> draw(int count) throws IOException {
    List<QuorumVoter> voters = new ArrayList<>();
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int id = 1; id <= count; id++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        QuorumAddress address = new QuorumAddress(DevRun.HOST, socket.getLocalPort());
        voters.add(new QuorumVoter(id, Uuid.fromString(RandomUuidCommand.next()), address));
      }
      return voters;
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  int count() {
    return voters.size();
  }

  /** Where all find them. */
  String bootstrapServers() {
    return voters.stream().map(DevVoters::address).collect(Collectors.joining(","));
  }

  /** Where the controller of that broker listens; null if it is none. */
  @Nullable String addressOf(int brokerId) {
    return brokerId <= voters.size() ? address(voters.get(brokerId - 1)) : null;
  }

  /** How that broker's folder becomes one of the cluster. */
  FormatOptions format(String clusterId, int brokerId) {
    return voters.size() > 1 && addressOf(brokerId) != null
        ? new FormatOptions(clusterId, FormatOptions.Voters.LISTED, text(voters))
        : new FormatOptions(clusterId, FormatOptions.Voters.DEFAULT, "");
  }
}
