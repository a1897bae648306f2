package dev.tidemark.broker.folder;

import dev.tidemark.env.Clock;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Randomness;
import dev.tidemark.metadata.MetadataBootstrap;
import dev.tidemark.metadata.RandomIds;
import dev.tidemark.quorum.QuorumBootstrap;
import dev.tidemark.quorum.QuorumVoter;
import dev.tidemark.quorum.SingleVoterLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/** Formats the data folders of a node and checks at the start that they belong to it. */
public final class DataFolders {
  private DataFolders() {}

  /** True when none of the folders is formatted; throws {@link FolderRefused}. */
  public static boolean areUnformatted(List<Directory> folders) throws IOException {
    for (Directory folder : folders) {
      if (FolderIdentity.read(folder).isPresent()) {
        return false;
      }
    }
    return true;
  }

  /** A new cluster's id. */
  public static String newClusterId(Randomness randomness) {
    return RandomIds.next(randomness).toString();
  }

  /** The same for a node that is a whole cluster. */
  public static List<FolderIdentity> format(
      List<Directory> folders, String clusterId, int nodeId, Randomness randomness, Clock clock)
      throws IOException {
    return format(folders, clusterId, nodeId, new FirstVoters.Alone(), randomness, clock);
  }

  /**
   * Makes empty folders the ones of a node of a cluster, and writes what the metadata log begins
   * with into the first folder. Folders that are this node's already are left as they are, so that
   * an interrupted format can be run again. Throws {@link FolderRefused}.
   */
  public static List<FolderIdentity> format(
      List<Directory> folders,
      String clusterId,
      int nodeId,
      FirstVoters voters,
      Randomness randomness,
      Clock clock)
      throws IOException {
    List<Optional<FolderIdentity>> found = new ArrayList<>();
    for (Directory folder : folders) {
      folder.create();
      Optional<FolderIdentity> identity = FolderIdentity.read(folder);
      if (identity.isPresent()) {
        refuseForeign(folder, identity.get(), clusterId, nodeId);
      } else {
        FolderIdentity.refuseContent(folder);
      }
      found.add(identity);
    }
    Uuid metadataFolder = metadataFolderId(voters, nodeId, randomness);
    refuseOtherDirectory(folders.get(0), found.get(0), voters, metadataFolder);
    List<FolderIdentity> identities = new ArrayList<>();
    for (int i = 0; i < folders.size(); i++) {
      FolderIdentity identity = found.get(i).orElse(null);
      if (identity == null) {
        Uuid directoryId = i == 0 ? metadataFolder : RandomIds.next(randomness);
        identity =
            new FolderIdentity(clusterId, nodeId, directoryId, FolderIdentity.CURRENT_FORMAT);
        identity.write(folders.get(i));
      }
      identities.add(identity);
    }
    requireMetadataLog(folders);
    writeMetadata(folders.get(0), nodeId, identities.get(0).directoryId(), voters, clock);
    requireMetadataLog(folders);
    return identities;
  }

  private static Uuid metadataFolderId(FirstVoters voters, int nodeId, Randomness randomness) {
    Uuid listed = voters instanceof FirstVoters.Listed list ? list.directoryId(nodeId) : null;
    return listed == null ? RandomIds.next(randomness) : listed;
  }

  private static void refuseOtherDirectory(
      Directory folder, Optional<FolderIdentity> found, FirstVoters voters, Uuid directoryId) {
    if (voters instanceof FirstVoters.Listed
        && found.isPresent()
        && !found.get().directoryId().equals(directoryId)) {
      throw new FolderRefused(
          "%s is formatted with the directory id %s, not with %s: it is left as it is; name that id, or choose another folder."
              .formatted(folder.path(), found.get().directoryId(), directoryId));
    }
  }

  private static void writeMetadata(
      Directory folder, int nodeId, Uuid directoryId, FirstVoters voters, Clock clock)
      throws IOException {
    if (voters instanceof FirstVoters.Alone) {
      try (SingleVoterLog log = new SingleVoterLog(folder, nodeId, directoryId, clock)) {
        MetadataBootstrap.writeIfMissing(log, batch -> {});
      }
    } else if (voters instanceof FirstVoters.Itself itself) {
      QuorumVoter self = new QuorumVoter(nodeId, directoryId, itself.address());
      writeVoters(folder, List.of(self), itself.listenerName(), clock);
    } else if (voters instanceof FirstVoters.Listed list) {
      writeVoters(folder, list.voters(), list.listenerName(), clock);
    }
  }

  /** What they have decided since counts more than who votes first. */
  private static void writeVoters(
      Directory folder, List<QuorumVoter> voters, String listenerName, Clock clock)
      throws IOException {
    if (!holdsMetadata(folder, SingleVoterLog.LOG_ID.folderName())) {
      QuorumBootstrap.write(folder, voters, listenerName, clock.wallMs());
    }
  }

  /**
   * The identities of a node's folders, in their order. Throws {@link FolderRefused} when one is
   * not formatted, of another node, or when they are of different clusters.
   */
  public static List<FolderIdentity> load(List<Directory> folders, int nodeId) throws IOException {
    List<FolderIdentity> identities = new ArrayList<>();
    for (Directory folder : folders) {
      FolderIdentity identity = FolderIdentity.read(folder).orElse(null);
      if (identity == null) {
        throw new FolderRefused(
            holdsPartitions(folder)
                ? "%s holds partitions, but %s is missing: restore that file from a copy."
                    .formatted(folder.path(), FolderIdentity.FILE)
                : "%s is not formatted: run 'tidemark format' with the same configuration first%s."
                    .formatted(folder.path(), mountHint(folders, folder)));
      }
      String clusterId =
          identities.isEmpty() ? identity.clusterId() : identities.get(0).clusterId();
      refuseForeign(folder, identity, clusterId, nodeId);
      for (FolderIdentity other : identities) {
        if (other.directoryId().equals(identity.directoryId())) {
          throw new FolderRefused(
              "%s has the same directory id as another folder of log.dirs: it is a copy; remove it from log.dirs."
                  .formatted(folder.path()));
        }
      }
      identities.add(identity);
    }
    return identities;
  }

  private static boolean holdsPartitions(Directory folder) {
    try {
      for (String name : folder.list()) {
        if (name.matches(".+-\\d+") && folder.isDirectory(name)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false; // most likely there is no such folder
    }
  }

  /** An empty folder beside others that are not is rather a disk that is missing. */
  private static String mountHint(List<Directory> folders, Directory empty) throws IOException {
    for (Directory folder : folders) {
      if (!folder.path().equals(empty.path()) && folder.exists(FolderIdentity.FILE)) {
        return "; but if there were data in it, its disk is not mounted: mount it instead";
      }
    }
    return "";
  }

  /**
   * Refuses a node whose folders hold partitions but whose first folder has no metadata log: it
   * would start as an empty cluster and take its own data for strays; and one whose metadata log is
   * that of another node or cluster than its folders. Throws {@link FolderRefused}.
   */
  public static void requireMetadataLog(List<Directory> folders) throws IOException {
    String log = SingleVoterLog.LOG_ID.folderName();
    if (holdsMetadata(folders.get(0), log)) {
      FolderIdentity identity = FolderIdentity.read(folders.get(0)).orElseThrow();
      MetadataOwner.require(folders.get(0), folders.get(0).directory(log), identity);
      return;
    }
    for (Directory folder : folders) {
      for (String name : folder.list()) {
        if (name.matches(".+-\\d+") && !name.equals(log) && folder.isDirectory(name)) {
          throw new FolderRefused(
              "%s/%s is missing or empty, though %s holds %s: without it nothing says which topics there are; restore it from a copy, or start with empty folders."
                  .formatted(folders.get(0).path(), log, folder.path(), name));
        }
      }
    }
  }

  private static boolean holdsMetadata(Directory folder, String log) throws IOException {
    return folder.exists(log)
        && folder.directory(log).list().stream()
            .anyMatch(name -> name.endsWith(".log") || name.endsWith(".checkpoint"));
  }

  private static void refuseForeign(
      Directory folder, FolderIdentity identity, String clusterId, int nodeId) {
    if (!identity.clusterId().equals(clusterId)) {
      throw new FolderRefused(
          "%s belongs to cluster %s, not to %s: it is left as it is; choose another folder."
              .formatted(folder.path(), identity.clusterId(), clusterId));
    }
    if (identity.nodeId() != nodeId) {
      throw new FolderRefused(
          "%s belongs to node %d, but node.id is %d: it is left as it is; set node.id=%d or choose another folder."
              .formatted(folder.path(), identity.nodeId(), nodeId, identity.nodeId()));
    }
  }
}
