package dev.tidemark.quorum;

import dev.tidemark.env.Directory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.kafka.raft.ElectionState;
import org.apache.kafka.raft.NamedQuorumStateStore;
import org.apache.kafka.raft.generated.QuorumStateData;
import org.apache.kafka.server.common.KRaftVersion;

/** Where raft keeps its epoch and its vote: in {@code quorum-state}, synced before it goes on. */
final class ElectionStateStore extends NamedQuorumStateStore {
  private static final short DATA_VERSION = 1;

  private final Directory folder;

  ElectionStateStore(Directory folder) {
    super(QuorumStateFile.FILE);
    this.folder = folder;
  }

  @Override
  public Optional<ElectionState> readElectionState() {
    try {
      return QuorumStateFile.read(folder)
          .map(
              content ->
                  ElectionState.fromQuorumStateData(
                      new QuorumStateData()
                          .setLeaderId(content.leaderId())
                          .setLeaderEpoch(content.epoch())
                          .setVotedId(content.votedId())
                          .setVotedDirectoryId(content.votedDirectoryId())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void writeElectionState(ElectionState state, KRaftVersion unused) {
    QuorumStateData data = state.toQuorumStateData(DATA_VERSION);
    try {
      QuorumStateFile.write(
          folder,
          new QuorumStateFile.Content(
              data.leaderId(), data.leaderEpoch(), data.votedId(), data.votedDirectoryId()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void clear() {
    try {
      folder.delete(QuorumStateFile.FILE);
      folder.sync();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
