package dev.tidemark.broker.folder;

import dev.tidemark.quorum.QuorumAddress;
import dev.tidemark.quorum.QuorumVoter;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** What a format writes of who votes in the metadata log of a new cluster (KIP-853). */
public sealed interface FirstVoters {
  /** This node is the whole cluster, and nobody calls its controller. */
  record Alone() implements FirstVoters {}

  /** This node votes alone at first; others may join. */
  record Itself(String listenerName, QuorumAddress address) implements FirstVoters {}

  /** The same list on each of the first controllers. */
  record Listed(String listenerName, List<QuorumVoter> voters) implements FirstVoters {
    public Listed {
      voters = List.copyOf(voters);
    }

    /** Null when the node is not in the list. */
    @Nullable Uuid directoryId(int nodeId) {
      return voters.stream()
          .filter(voter -> voter.nodeId() == nodeId)
          .map(QuorumVoter::directoryId)
          .findFirst()
          .orElse(null);
    }
  }

  /** The node hears it from others: a broker, or a controller that joins later. */
  record Unknown() implements FirstVoters {}

  /**
   * Reads Kafka's form of a list: {@code ID@HOST:PORT:DIRECTORY_ID}, separated by commas. Throws
   * {@link IllegalArgumentException} with one line that says what is wrong.
   */
  static Listed parse(String listenerName, String text) {
    List<QuorumVoter> voters = new ArrayList<>();
    for (String element : text.split(",", -1)) {
      QuorumVoter voter = parseOne(element.trim());
      if (voters.stream().anyMatch(other -> clash(other, voter))) {
        throw new IllegalArgumentException(
            "'" + element.trim() + "' has the id or the directory id of another controller");
      }
      voters.add(voter);
    }
    return new Listed(listenerName, voters);
  }

  private static boolean clash(QuorumVoter one, QuorumVoter other) {
    return one.nodeId() == other.nodeId() || one.directoryId().equals(other.directoryId());
  }

  private static QuorumVoter parseOne(String text) {
    int at = text.indexOf('@');
    int directory = text.lastIndexOf(':');
    int port = directory < 0 ? -1 : text.lastIndexOf(':', directory - 1);
    try {
      String host = text.substring(at + 1, port);
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      int nodeId = Integer.parseInt(text.substring(0, at));
      int portNumber = Integer.parseInt(text.substring(port + 1, directory));
      Uuid directoryId = Uuid.fromString(text.substring(directory + 1));
      if (nodeId < 0 || host.isEmpty() || portNumber < 1 || portNumber > 65_535) {
        throw new IllegalArgumentException(text);
      }
      return new QuorumVoter(nodeId, directoryId, new QuorumAddress(host, portNumber));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "'%s' is no controller; each is ID@HOST:PORT:DIRECTORY_ID, with a directory id of 'tidemark random-uuid'"
              .formatted(text),
          e);
    }
  }
}
