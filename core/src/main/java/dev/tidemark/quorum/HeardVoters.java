package dev.tidemark.quorum;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.raft.Batch;
import org.apache.kafka.raft.ControlRecord;

/** Who votes, as the control records say that were committed or stand in a snapshot. */
final class HeardVoters {
  private final ListenerName listenerName;
  private List<QuorumVoter> voters = List.of();

  HeardVoters(ListenerName listenerName) {
    this.listenerName = listenerName;
  }

  void hear(Batch<?> batch) {
    for (ControlRecord record : batch.controlRecords()) {
      if (record.message() instanceof VotersRecord named) {
        voters = read(named);
      }
    }
  }

  private List<QuorumVoter> read(VotersRecord named) {
    List<QuorumVoter> read = new ArrayList<>();
    for (VotersRecord.Voter voter : named.voters()) {
      VotersRecord.Endpoint endpoint = voter.endpoints().find(listenerName.value());
      read.add(
          new QuorumVoter(
              voter.voterId(),
              voter.voterDirectoryId(),
              endpoint == null ? null : new QuorumAddress(endpoint.host(), endpoint.port())));
    }
    read.sort(Comparator.comparingInt(QuorumVoter::nodeId));
    return List.copyOf(read);
  }

  /** By id; empty as long as nothing was heard. */
  List<QuorumVoter> voters() {
    return voters;
  }
}
