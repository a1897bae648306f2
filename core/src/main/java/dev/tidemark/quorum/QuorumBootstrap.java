package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.util.List;

/** What the log of a voter begins with: a snapshot, Kafka's 0-0, that says who votes (KIP-853). */
public final class QuorumBootstrap {
  private static final SnapshotId ID = new SnapshotId(0, 0);

  private QuorumBootstrap() {}

  /**
   * Writes it into the folder of the metadata log, durably; without effect if there is one. All
   * first voters get the same.
   *
   * @param dataFolder the folder that holds the log's folder
   * @param listenerName of the controllers
   * @param nowMs wall clock
   */
  public static void write(
      Directory dataFolder, List<QuorumVoter> voters, String listenerName, long nowMs)
      throws IOException {
    Directory folder = dataFolder.directory(SingleVoterLog.LOG_ID.folderName());
    folder.create();
    if (!folder.exists(ID.fileName())) {
      byte[] snapshot = MetadataBatches.bootstrapSnapshot(voters, listenerName, nowMs).array();
      folder.writeAtomically(ID.fileName(), snapshot);
    }
  }
}
